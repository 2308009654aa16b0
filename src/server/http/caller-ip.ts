import { isIPv4, isIPv6 } from 'node:net'

/**
 * The part of an address that limits count by: IPv4 as it is, IPv6 its /64, because one subscriber
 * owns all of that.
 */
export function ipGroup(ip: string): string {
  const address = canonicalIp(ip)
  if (!address?.includes(':')) return address ?? ip
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = tail === undefined ? left : [...left, ...zeros, ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * The caller's address: the peer's, or, when the peer is a trusted proxy, the last address of
 * X-Forwarded-For that is not one. What is no address ends the search there.
 */
export function callerIp(peer: string, forwardedFor: string | undefined, trustedProxies: string[]): string {
  let address = canonicalIp(peer) ?? peer
  if (trustedProxies.length === 0) return address
  const trusted = trustedProxies.map((proxy) => canonicalIp(proxy) ?? proxy)
  const hops = (forwardedFor ?? '').split(',')
  while (trusted.includes(address)) {
    const previous = canonicalIp(hops.pop() ?? '')
    if (previous === undefined) break
    address = previous
  }
  return address
}

/** An address in its one canonical form, without the port, brackets or zone that proxies write. */
function canonicalIp(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIPv4(bare)) return bare
  return isIPv6(bare) ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : undefined
}

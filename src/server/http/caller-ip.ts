import { isIPv4, isIPv6 } from 'node:net'

/** The part of an IP that limits count by: IPv4 as it is, IPv6 its /64, which one subscriber owns. */
export function ipGroup(ip: string): string {
  const canonical = canonicalIp(ip)
  if (!canonical?.includes(':')) return canonical ?? ip
  const [head = '', tail] = canonical.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = tail === undefined ? left : [...left, ...zeros, ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * The caller's IP: the peer's, or, when the peer is a trusted proxy, the last one of X-Forwarded-For that is not
 * a trusted proxy. What is no IP ends the search there.
 */
export function callerIp(peer: string, forwardedFor: string | undefined, trustedProxies: string[]): string {
  let ip = canonicalIp(peer) ?? peer
  if (trustedProxies.length === 0) return ip
  const trusted = trustedProxies.map((proxy) => canonicalIp(proxy) ?? proxy)
  const hops = (forwardedFor ?? '').split(',')
  while (trusted.includes(ip)) {
    const previous = canonicalIp(hops.pop() ?? '')
    if (previous === undefined) break
    ip = previous
  }
  return ip
}

/** An IP in its one canonical form, without the port, brackets or zone that proxies write. */
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

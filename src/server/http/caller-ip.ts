import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'

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

export interface TrustedProxies {
  has(ip: string): boolean
}

/**
 * Reads addresses and CIDR ranges of proxies.
 * @throws RangeError when one of them is neither, or is a range of everybody
 */
export function parseProxies(proxies: readonly string[]): TrustedProxies {
  // One for each family: a range of IPv6 may hold every IPv4 address as well, in its mapped form.
  const trusted = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const proxy of proxies) {
    const [, address, prefix] = /^([\d.]+|[\da-f:.]+)(?:\/([1-9]\d{0,2}))?$/i.exec(proxy) ?? []
    const ip = address !== undefined && isIP(address) ? canonicalIp(address) : undefined
    if (address === undefined || ip === undefined) throw new RangeError('no address or range')
    const family = familyOf(ip)
    // Of an IPv4 address in its IPv6 form the length would count other bits.
    if (prefix && family !== familyOf(address)) throw new RangeError('a mapped range')
    trusted[family].addSubnet(ip, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return { has: (ip) => isIP(ip) !== 0 && trusted[familyOf(ip)].check(ip, familyOf(ip)) }
}

const familyOf = (ip: string) => (isIPv4(ip) ? 'ipv4' : 'ipv6')

/**
 * The caller's IP: the peer's, or, when the peer is a trusted proxy, the last one of X-Forwarded-For that is not
 * a trusted proxy. What is no IP ends the search there.
 */
export function callerIp(peer: string, forwardedFor: string | undefined, trusted: TrustedProxies): string {
  let ip = canonicalIp(peer) ?? peer
  if (forwardedFor === undefined) return ip
  const hops = forwardedFor.split(',')
  while (trusted.has(ip)) {
    const previous = canonicalIp(hops.pop() ?? '')
    if (previous === undefined) break
    ip = previous
  }
  return ip
}

/** Whether what a peer says of others is believed. */
export function isTrusted(peer: string, trusted: TrustedProxies): boolean {
  return trusted.has(canonicalIp(peer) ?? peer)
}

/** An IP in its one canonical form, without the port, brackets or zone that proxies write. */
function canonicalIp(text: string): string | undefined {
  if (isIPv4(text)) return text
  const bare = text
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '')
  if (isIPv4(bare)) return bare
  if (!isIPv6(bare)) return undefined
  return new SocketAddress({ address: bare, family: 'ipv6' }).address.replace(/^::ffff:(?=[\d.]+$)/, '')
}

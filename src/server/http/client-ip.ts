import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'

/** Returns the part of an IP address that rate limits count: IPv4 entirely, IPv6 up to its /64. */
export function toIpPrefix(ip: string): string {
  const canonical = normalizeIp(ip)
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
 * Parses addresses and CIDR ranges of proxies.
 * @throws RangeError if one of them is neither, or matches every address
 */
export function parseProxies(proxies: readonly string[]): TrustedProxies {
  // One list per family: a range of IPv6 could contain every mapped IPv4 address.
  const trusted = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const proxy of proxies) {
    const [, address, prefix] = /^([\d.]+|[\da-f:.]+)(?:\/([1-9]\d{0,2}))?$/i.exec(proxy) ?? []
    const ip = address !== undefined && isIP(address) ? normalizeIp(address) : undefined
    if (address === undefined || ip === undefined) throw new RangeError('no address or range')
    const family = getIpFamily(ip)
    // The prefix length of a mapped IPv4 address would count other bits.
    if (prefix && family !== getIpFamily(address)) throw new RangeError('a mapped range')
    trusted[family].addSubnet(ip, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return { has: (ip) => isIP(ip) !== 0 && trusted[getIpFamily(ip)].check(ip, getIpFamily(ip)) }
}

const getIpFamily = (ip: string) => (isIPv4(ip) ? 'ipv4' : 'ipv6')

/**
 * Returns the client's IP: the peer's, or behind trusted proxies the last untrusted one of
 * X-Forwarded-For. An invalid entry ends the search.
 */
export function getClientIp(peer: string, forwardedFor: string | undefined, trusted: TrustedProxies): string {
  let ip = normalizeIp(peer) ?? peer
  if (forwardedFor === undefined) return ip
  const hops = forwardedFor.split(',')
  while (trusted.has(ip)) {
    const previous = normalizeIp(hops.pop() ?? '')
    if (previous === undefined) break
    ip = previous
  }
  return ip
}

/** Checks whether a peer is a trusted proxy, whose headers count. */
export function isTrusted(peer: string, trusted: TrustedProxies): boolean {
  return trusted.has(normalizeIp(peer) ?? peer)
}

/** Normalizes an IP address: no port, brackets, zone or IPv4 mapping. */
function normalizeIp(text: string): string | undefined {
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

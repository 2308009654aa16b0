/** What the rules and the records need to know of a request. */
export interface RequestInfo {
  requestId: string
  /** The caller's address; X-Forwarded-For counts only from a trusted proxy. */
  ip: string
  userAgent: string | null
}

/**
 * The part of an address that limits count by: IPv4 as it is, IPv6 its /64, because one subscriber
 * owns all of that.
 */
export function addressGroup(ip: string): string {
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = tail === undefined ? left : [...left, ...zeros, ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * The caller's address: the peer's, or, when the peer is a trusted proxy, the last address of
 * X-Forwarded-For that is not one.
 */
export function callerAddress(
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: string[],
): string {
  const plain = (address: string) => address.trim().replace(/^::ffff:/, '')
  let address = plain(peer)
  const hops = (forwardedFor ?? '').split(',').map(plain).filter(Boolean)
  while (trustedProxies.includes(address)) {
    const previous = hops.pop()
    if (previous === undefined) break
    address = previous
  }
  return address
}

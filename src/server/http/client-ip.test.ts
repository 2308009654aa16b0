import { describe, expect, test } from 'vitest'
import { getClientIp, parseProxies, toIpPrefix } from './client-ip.ts'

describe('the client IP', () => {
  const none = parseProxies([])
  const proxies = parseProxies(['10.0.0.1', '10.0.0.2', '2001:db8::5'])

  test('is the peer’s, whatever the request claims', () => {
    expect(getClientIp('198.51.100.1', '203.0.113.9', none)).toBe('198.51.100.1')
    expect(getClientIp('198.51.100.1', '10.0.0.1, 10.0.0.1', proxies)).toBe('198.51.100.1')
  })

  test('behind a trusted proxy is the one that the proxy saw', () => {
    expect(getClientIp('10.0.0.1', '203.0.113.9', proxies)).toBe('203.0.113.9')
    expect(getClientIp('10.0.0.1', 'forged, 1.1.1.1, 203.0.113.9', proxies)).toBe('203.0.113.9')
  })

  test('behind two trusted proxies is the one that the outer proxy saw', () => {
    expect(getClientIp('10.0.0.2', '1.1.1.1, 203.0.113.9, 10.0.0.1', proxies)).toBe('203.0.113.9')
  })

  test('is the proxy’s own if it sends no valid address', () => {
    for (const claim of [
      undefined,
      '',
      ' , ',
      'unknown',
      '203.0.113.9, unknown',
      "'; drop table --",
      '1.2.3.4.5',
    ])
      expect(getClientIp('10.0.0.1', claim, proxies), claim).toBe('10.0.0.1')
  })

  test('is normalized: no port, brackets, zone or mapping', () => {
    expect(getClientIp('::ffff:198.51.100.1', undefined, none)).toBe('198.51.100.1')
    expect(getClientIp('10.0.0.1', '0:0:0:0:0:FFFF:c633:6401', proxies)).toBe('198.51.100.1')
    expect(getClientIp('fe80::1%eth0', undefined, none)).toBe('fe80::1')
    expect(getClientIp('10.0.0.1', '203.0.113.9:51234', proxies)).toBe('203.0.113.9')
    expect(getClientIp('10.0.0.1', '[2001:DB8:0::1]:443', proxies)).toBe('2001:db8::1')
    expect(getClientIp('::ffff:10.0.0.1', '203.0.113.9', proxies)).toBe('203.0.113.9')
    expect(getClientIp('2001:0db8:0000::5', '203.0.113.9', proxies)).toBe('203.0.113.9')
  })

  test('behind a range of trusted proxies is the first that is not in it', () => {
    const ranges = parseProxies(['127.0.0.0/8', '10.1.2.3/16', '2001:db8::/32', '::ffff:192.0.2.7', '::/3'])
    for (const peer of ['127.0.0.1', '127.255.0.9', '10.1.255.1', '2001:db8:ffff::1', '192.0.2.7', '::1'])
      expect(getClientIp(peer, '203.0.113.9, 10.1.0.1', ranges), peer).toBe('203.0.113.9')
    // '::/3' contains the mapped form of every IPv4 address, but must match none.
    for (const peer of ['128.0.0.1', '10.2.0.1', '2001:db9::1', '192.0.2.8', '203.0.113.1', 'unknown'])
      expect(getClientIp(peer, '203.0.113.9', ranges), peer).toBe(peer)
  })

  test('rejects names as proxies, and ranges that are invalid or match every address', () => {
    const names = ['loopback', 'proxy.internal', '*', 'fe80::1%eth0', '10.0.0.0-10.0.0.9', '10.0.0/8']
    const lengths = [
      '10.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0.0/',
      '10.0.0.0/08',
      '10.0.0.0/8/8',
    ]
    for (const proxy of [...names, ...lengths, '::ffff:10.0.0.0/104', ''])
      expect(() => parseProxies(['10.0.0.1', proxy]), proxy).toThrow(RangeError)
  })
})

describe('rate limits count', () => {
  test('IPv4 addresses separately', () => {
    expect(toIpPrefix('198.51.100.1')).toBe('198.51.100.1')
    expect(toIpPrefix('::ffff:c633:6401')).toBe('198.51.100.1')
    expect(toIpPrefix('198.51.100.1')).not.toBe(toIpPrefix('198.51.100.2'))
  })

  test('an IPv6 /64 as one', () => {
    const group = '2001:db8:1:2::/64'
    for (const address of [
      '2001:db8:1:2::',
      '2001:db8:1:2::1',
      '2001:db8:1:2:3:4:5:6',
      '2001:0DB8:1:2:ffff::',
    ])
      expect(toIpPrefix(address), address).toBe(group)
    expect(toIpPrefix('2001:db8:1:3::1')).not.toBe(group)
    expect(toIpPrefix('2001:db8::1')).toBe('2001:db8:0:0::/64')
    expect(toIpPrefix('::1')).toBe('0:0:0:0::/64')
  })
})

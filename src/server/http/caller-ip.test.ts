import { describe, expect, test } from 'vitest'
import { callerIp, ipGroup } from './caller-ip.ts'

describe('the address of a caller', () => {
  const proxies = ['10.0.0.1', '10.0.0.2', '2001:db8::5']

  test('is the peer’s, whatever the request claims', () => {
    expect(callerIp('198.51.100.1', '203.0.113.9', [])).toBe('198.51.100.1')
    expect(callerIp('198.51.100.1', '10.0.0.1, 10.0.0.1', proxies)).toBe('198.51.100.1')
  })

  test('behind a trusted proxy is the one that the proxy saw', () => {
    expect(callerIp('10.0.0.1', '203.0.113.9', proxies)).toBe('203.0.113.9')
    expect(callerIp('10.0.0.1', 'forged, 1.1.1.1, 203.0.113.9', proxies)).toBe('203.0.113.9')
  })

  test('behind two trusted proxies is the one that the outer saw', () => {
    expect(callerIp('10.0.0.2', '1.1.1.1, 203.0.113.9, 10.0.0.1', proxies)).toBe('203.0.113.9')
  })

  test('is the proxy’s own when the proxy tells nothing that is an address', () => {
    for (const claim of [
      undefined,
      '',
      ' , ',
      'unknown',
      '203.0.113.9, unknown',
      "'; drop table --",
      '1.2.3.4.5',
    ])
      expect(callerIp('10.0.0.1', claim, proxies), claim).toBe('10.0.0.1')
  })

  test('is written in one way: without port, brackets, zone or mapping', () => {
    expect(callerIp('::ffff:198.51.100.1', undefined, [])).toBe('198.51.100.1')
    expect(callerIp('fe80::1%eth0', undefined, [])).toBe('fe80::1')
    expect(callerIp('10.0.0.1', '203.0.113.9:51234', proxies)).toBe('203.0.113.9')
    expect(callerIp('10.0.0.1', '[2001:DB8:0::1]:443', proxies)).toBe('2001:db8::1')
    expect(callerIp('::ffff:10.0.0.1', '203.0.113.9', proxies)).toBe('203.0.113.9')
    expect(callerIp('2001:0db8:0000::5', '203.0.113.9', proxies)).toBe('203.0.113.9')
  })
})

describe('limits count', () => {
  test('IPv4 addresses one by one', () => {
    expect(ipGroup('198.51.100.1')).toBe('198.51.100.1')
    expect(ipGroup('198.51.100.1')).not.toBe(ipGroup('198.51.100.2'))
  })

  test('an IPv6 /64 as one', () => {
    const group = '2001:db8:1:2::/64'
    for (const address of [
      '2001:db8:1:2::',
      '2001:db8:1:2::1',
      '2001:db8:1:2:3:4:5:6',
      '2001:0DB8:1:2:ffff::',
    ])
      expect(ipGroup(address), address).toBe(group)
    expect(ipGroup('2001:db8:1:3::1')).not.toBe(group)
    expect(ipGroup('2001:db8::1')).toBe('2001:db8:0:0::/64')
    expect(ipGroup('::1')).toBe('0:0:0:0::/64')
  })
})

import { beforeEach, expect, test } from 'vitest'
import { send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { parseProxies } from './caller-ip.ts'

const FIVE_MINUTES_MS = 300_000

describeOnEachDatabase('from one address, whoever is asked about,', (kind) => {
  const portal = setUpPortal({ kind, trustedProxies: parseProxies(['127.0.0.1']) })
  beforeEach(() => portal.clock.advance(2 * FIVE_MINUTES_MS))

  const post = (path: string, body: object, ip: string) =>
    send(portal, 'POST', path, { body, headers: { 'x-forwarded-for': ip } })
  /** Without a human-check pass: what counts is that somebody tried. */
  const signIn = (ip = '203.0.113.7') =>
    post(
      '/api/auth/token?grant_type=password',
      { email: `${crypto.randomUUID()}@grupopatio.com.br`, password: 'errada-mas-comprida' },
      ip,
    )
  const link = () => crypto.randomUUID().replaceAll('-', '').padEnd(43, 'x')
  const useLink = (ip = '203.0.113.7') =>
    post('/api/auth/verify', { type: 'recovery', token_hash: link() }, ip)
  const disown = (ip = '203.0.113.7') => post('/api/auth/not-me', { token_hash: link() }, ip)

  /** The codes of what so many tries are answered, one after the other. */
  const codes = async (count: number, ask: () => ReturnType<typeof send>) => {
    const found: string[] = []
    for (let asked = 0; asked < count; asked++) found.push((await ask()).body.code)
    return found
  }

  test('60 sign-ins are taken in five minutes', async () => {
    expect(await codes(61, signIn)).toEqual([...Array(60).fill('human-check-required'), 'rate-limited'])
    const { status, headers } = await signIn()
    expect([status, headers.get('retry-after')]).toEqual([429, '300'])
    expect((await signIn('203.0.113.8')).status).toBe(400)
    portal.clock.advance(FIVE_MINUTES_MS)
    expect((await signIn()).status).toBe(400)
  })

  test.each([
    ['confirming', useLink, disown],
    ['disowning', disown, useLink],
  ])(
    '30 e-mail links are tried in five minutes by %s, and none by the other way then',
    async (_, ask, other) => {
      expect(await codes(31, ask)).toEqual([...Array(30).fill('invalid-link'), 'rate-limited'])
      const { status, headers } = await other()
      expect([status, headers.get('retry-after')]).toEqual([429, '300'])
      expect((await ask('203.0.113.8')).status).toBe(400)
      portal.clock.advance(FIVE_MINUTES_MS)
      expect((await ask()).status).toBe(400)
    },
  )
})

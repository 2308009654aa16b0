import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { getLinkToken, receiveMail } from '#server/testing/account-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { issuePass } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { parseProxies } from './client-ip.ts'

const FIVE_MINUTES_MS = 300_000

describeOnEachDatabase('rate limits per IP address', (kind) => {
  const portal = setUpPortal({ kind, trustedProxies: parseProxies(['127.0.0.1']) })
  beforeEach(() => portal.clock.advance(2 * FIVE_MINUTES_MS))

  const post = (path: string, body: object, ip: string) =>
    send(portal, 'POST', path, { body, headers: { 'x-forwarded-for': ip } })
  const signIn = async (ip = '203.0.113.7', wanted: { email?: string; captcha?: string } = {}) => {
    const { email = `${crypto.randomUUID()}@grupopatio.com.br`, captcha = await issuePass(portal) } = wanted
    return post('/api/auth/token?grant_type=password', { email, password: TEST_PASSWORD, captcha }, ip)
  }
  const link = () => crypto.randomUUID().replaceAll('-', '').padEnd(43, 'x')
  const useLink = (ip = '203.0.113.7') =>
    post('/api/auth/verify', { type: 'recovery', token_hash: link() }, ip)
  const disown = (ip = '203.0.113.7') => post('/api/auth/not-me', { token_hash: link() }, ip)

  const recoveryLink = async (email: string) => {
    expect((await post('/api/auth/recover', { email }, '198.51.100.1')).status).toBe(200)
    return getLinkToken((await receiveMail(portal, email, 'recovery'))?.link)
  }

  /** Returns the problem codes of sequential attempts. */
  const codes = async (count: number, ask: () => ReturnType<typeof send>) => {
    const found: string[] = []
    for (let asked = 0; asked < count; asked++) found.push((await ask()).body.code)
    return found
  }

  /** Pretends that many sign-ins failed here, because each costs a hash. */
  const failBefore = async (taken: number) => {
    expect((await signIn()).status).toBe(400)
    const { db } = portal.database
    await db.updateTable('rate_limits').set({ taken }).where('key', '=', 'sign-in 203.0.113.7').execute()
  }

  test('allow 60 failed sign-ins in five minutes', async () => {
    await failBefore(58)
    expect(await codes(3, signIn)).toEqual(['invalid-credentials', 'invalid-credentials', 'rate-limited'])
    const { status, headers } = await signIn()
    expect([status, headers.get('retry-after')]).toEqual([429, '300'])
    expect((await signIn('203.0.113.8')).status).toBe(400)
    portal.clock.advance(FIVE_MINUTES_MS)
    expect((await signIn()).status).toBe(400)
  })

  test('include concurrent sign-ins, and refused ones consume nothing', async () => {
    await failBefore(57)
    const passes = await Promise.all(Array.from({ length: 10 }, () => issuePass(portal)))
    const replies = await Promise.all(passes.map((captcha) => signIn(undefined, { captcha })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      ...Array(3).fill(400),
      ...Array(7).fill(429),
    ])
    const taken = portal.database.db.selectFrom('rate_limits').select('taken')
    expect(await taken.where('key', '=', 'sign-in 203.0.113.7').execute()).toEqual([{ taken: 60 }])
  })

  test('do not count sign-ins with the right password or without a human check', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    const refused = await codes(61, () => signIn(undefined, { email, captcha: '' }))
    expect(refused).toEqual(Array(61).fill('human-check-required'))
    expect((await signIn(undefined, { email, captcha: 'errada' })).body.code).toBe('human-check-failed')
    await failBefore(59)
    for (let count = 0; count < 3; count++) expect((await signIn(undefined, { email })).status).toBe(200)
    expect(await codes(2, signIn)).toEqual(['invalid-credentials', 'rate-limited'])
  })

  test.each([
    ['recover', {}],
    ['resend', { type: 'signup' }],
  ])('allow 60 mails through %s in five minutes', async (path, more) => {
    const ask = () =>
      post(`/api/auth/${path}`, { ...more, email: `${crypto.randomUUID()}@grupopatio.com.br` }, '203.0.113.9')
    expect((await ask()).status).toBe(200)
    const { db } = portal.database
    await db.updateTable('rate_limits').set({ taken: 59 }).where('key', '=', `${path} 203.0.113.9`).execute()
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
    portal.clock.advance(FIVE_MINUTES_MS)
    expect((await ask()).status).toBe(200)
  })

  test('allow 600 refused refresh tokens in five minutes, and any good one', async () => {
    const { refresh_token } = await openTestSession(portal, await addPerson(portal))
    const refresh = (token: string) =>
      post('/api/auth/token?grant_type=refresh_token', { refresh_token: token }, '203.0.113.7')
    const forge = () => refresh(randomBytes(36).toString('base64url'))
    expect((await forge()).status).toBe(400)
    const { db } = portal.database
    const limit = db.updateTable('rate_limits').where('key', '=', 'refused-refresh 203.0.113.7')
    await limit.set({ taken: 598 }).execute()
    expect(await codes(3, forge)).toEqual(['invalid-refresh-token', 'invalid-refresh-token', 'rate-limited'])
    expect((await refresh('malformed')).headers.get('retry-after')).toBe('300')
    expect((await refresh(refresh_token)).status).toBe(200)
    portal.clock.advance(FIVE_MINUTES_MS)
    expect((await forge()).status).toBe(400)
  })

  test.each([
    ['confirming', useLink, disown],
    ['disowning', disown, useLink],
  ])(
    'allow 60 unknown e-mail links in five minutes through %s and the other call together, and any known one',
    async (_, ask, other) => {
      const { email } = await addPerson(portal)
      const known = await recoveryLink(email)
      const dryRun = () =>
        post('/api/auth/verify?dryRun=true', { type: 'recovery', token_hash: known }, '203.0.113.7')
      for (let count = 0; count < 3; count++) expect((await dryRun()).body.state).toBe('asks-password')
      expect(await codes(61, ask)).toEqual([...Array(60).fill('invalid-link'), 'rate-limited'])
      const { status, headers } = await other()
      expect([status, headers.get('retry-after')]).toEqual([429, '300'])
      expect((await dryRun()).status).toBe(200)
      expect((await ask('203.0.113.8')).status).toBe(400)
      portal.clock.advance(FIVE_MINUTES_MS)
      expect((await ask()).status).toBe(400)
    },
  )
})

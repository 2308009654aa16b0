import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#server/database/database.ts'
import { addFactor, addPerson, openTestSession, send, UNKNOWN_ID } from '#server/testing/builders.ts'
import { countQueries } from '#server/testing/count-queries.ts'
import { encodeAnswer } from '#server/testing/human-passes.ts'
import { CONTACT_FORM } from '#server/testing/inbox-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'
import { createRateLimits } from './rate-limits.ts'

const MINUTE = 60_000
const BUILTIN = 'admin@grupopatio.com.br'

describeOnEachDatabase('a full limit of an IP address', (kind) => {
  const plain = setUpPortal({ kind })

  const post = (portal: TestPortal, path: string, body: object) => send(portal, 'POST', path, { body })
  const random = () => crypto.randomUUID().replaceAll('-', '').padEnd(43, 'x')
  const fill = (key: string, minutes = 5) =>
    plain.database.db
      .insertInto('rate_limits')
      .values({ key, taken: 1_000, resets_at: new Date(plain.clock() + minutes * MINUTE) })
      .execute()
  beforeEach(async () => {
    plain.clock.advance(24 * 60 * MINUTE)
    await plain.database.db.deleteFrom('rate_limits').execute()
  })

  /** Calls by the name of the limit that refuses them. */
  const CALLS: Record<string, (portal: TestPortal) => ReturnType<typeof send>> = {
    'sign-in': (portal) =>
      post(portal, '/api/auth/token?grant_type=password', { email: BUILTIN, password: 'errada' }),
    recover: (portal) => post(portal, '/api/auth/recover', { email: `${random()}@grupopatio.com.br` }),
    resend: (portal) =>
      post(portal, '/api/auth/resend', { type: 'signup', email: `${random()}@grupopatio.com.br` }),
    contact: (portal) => post(portal, '/api/support-messages', CONTACT_FORM),
    'email-link': (portal) => post(portal, '/api/auth/verify', { type: 'signup', token_hash: random() }),
    'refused-refresh': (portal) =>
      post(portal, '/api/auth/token?grant_type=refresh_token', {
        refresh_token: randomBytes(36).toString('base64url'),
      }),
    'human-check': async (portal) => {
      const { body: challenge } = await send(portal, 'GET', '/api/auth/challenge')
      const token = encodeAnswer({ challenge, solution: { counter: 1, derivedKey: '00'.repeat(32) } })
      return post(portal, '/api/functions/verify-recaptcha', { token })
    },
  }
  const CHECKED = ['email-link', 'refused-refresh']

  test.each(Object.entries(CALLS))('refuses without a query: %s', async (name, call) => {
    const { seen, database } = countQueries(plain.database)
    const portal = await startTestPortal({ kind, database, clock: plain.clock, builtinAdminEmail: BUILTIN })
    await fill(`${name} 127.0.0.1`)
    expect((await call(portal)).status).toBe(429)
    Object.assign(seen, { queries: 0, mostAtOnce: 0 })
    const replies = await Promise.all(Array.from({ length: 20 }, () => call(portal)))
    expect(replies.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
      Array(20).fill([429, '300']),
    )
    // Known links and sessions still pass: one at a time is looked up.
    if (CHECKED.includes(name)) expect(seen.mostAtOnce).toBeLessThanOrEqual(1)
    else expect(seen.queries).toBe(0)
    plain.clock.advance(5 * MINUTE)
    expect((await call(portal)).status).not.toBe(429)
    await portal.stop()
  })

  test('of a recipient is read each time, as another replica may clear it', async () => {
    const email = `${random()}@grupopatio.com.br`
    const ask = () => post(plain, '/api/auth/recover', { email })
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
    await plain.database.db.deleteFrom('rate_limits').where('key', 'like', '%-minute %').execute()
    expect((await ask()).status).toBe(200)
  })
})

describeOnEachDatabase('consumeRateLimit', (kind) => {
  const database = setUpDatabase(kind)
  let now = Date.parse('2026-11-23T12:00:00Z')
  beforeEach(() => {
    now += 60 * MINUTE
  })
  const create = (used: Database = database) => createRateLimits(used, true, () => now)
  const isOpen = (limits: ReturnType<typeof create>, limit: Parameters<typeof limits.consumeRateLimit>[1]) =>
    limits.consumeRateLimit(`key ${now}`, limit).then(
      () => true,
      () => false,
    )

  test('runs one query at a time for an IP address', async () => {
    const { seen, database: counted } = countQueries(database)
    const limits = create(counted)
    const limit = { max: 60, windowSeconds: 300, perIp: 'kept' } as const
    const opened = await Promise.all(Array.from({ length: 400 }, () => isOpen(limits, limit)))
    expect(opened.filter(Boolean)).toHaveLength(60)
    // Sixty accepted ones, and the first refused one with its reset.
    expect(seen).toMatchObject({ queries: 62, running: 0, mostAtOnce: 1 })
  })

  describe('with a full limit', () => {
    const limit = { max: 1, windowSeconds: 300, perIp: 'kept' } as const
    const fill = async (limits: ReturnType<typeof create>) =>
      expect([await isOpen(limits, limit), await isOpen(limits, limit)]).toEqual([true, false])

    test('lets an exempt call pass behind others that are checked', async () => {
      const limits = create()
      await fill(limits)
      const calls = Array.from({ length: 20 }, (_, n) =>
        limits.consumeRateLimit(`key ${now}`, limit, async () => n === 19),
      )
      const passed = (await Promise.allSettled(calls)).map(({ status }) => status === 'fulfilled')
      expect(passed).toEqual([...Array(19).fill(false), true])
    })

    test('checks 500 waiting calls at most', async () => {
      const limits = create()
      await fill(limits)
      let checks = 0
      const isExempt = async () => {
        checks++
        return true
      }
      const calls = Array.from({ length: 600 }, () => limits.consumeRateLimit(`key ${now}`, limit, isExempt))
      const settled = await Promise.allSettled(calls)
      expect([settled.filter(({ status }) => status === 'fulfilled').length, checks]).toEqual([500, 500])
      await limits.consumeRateLimit(`key ${now}`, limit, isExempt)
    })
  })

  describe('with a limit that is refunded', () => {
    const limit = { max: 1, windowSeconds: 300, perIp: 'refunded' } as const

    test('is open again after a refund, also elsewhere a second later', async () => {
      const [here, there] = [create(), create()]
      const key = `key ${now}`
      expect([await isOpen(here, limit), await isOpen(here, limit), await isOpen(there, limit)]).toEqual([
        true,
        false,
        false,
      ])
      await here.refundRateLimit(key)
      expect(await isOpen(here, limit)).toBe(true)
      await here.refundRateLimit(key)
      const consume = () => there.consumeRateLimit(key, limit)
      now += 999
      await expect(consume()).rejects.toThrow()
      now += 1
      await consume()
    })
  })
})

describeOnEachDatabase('what costs the server more than its caller', (kind) => {
  const portal = setUpPortal({ kind })
  const CALLS: [name: string, method: string, path: string, body?: object][] = [
    ['own data', 'GET', '/api/profiles/me/export'],
    ['new recovery codes', 'POST', '/api/auth/factors/recovery-codes/regenerate'],
    ['renaming a passkey', 'PATCH', `/api/auth/passkeys/${UNKNOWN_ID}`, { friendly_name: 'Celular' }],
  ]
  test.each(CALLS)('is limited for a person: %s', async (_, method, path, body) => {
    const person = await addPerson(portal)
    await addFactor(portal, person.user_id)
    const { access_token: token } = await openTestSession(portal, person, 'full', 'passkey')
    const other = await openTestSession(portal, await addPerson(portal))
    const sent = Array.from({ length: 40 }, () =>
      send(portal, method, path, { token, ...(body && { body }) }),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 429).length).toBeLessThanOrEqual(20)
    expect(statuses.filter((status) => status >= 500)).toEqual([])
    const unaffected = await send(portal, method, path, { token: other.access_token, ...(body && { body }) })
    expect(unaffected.status).not.toBe(429)
  })
})

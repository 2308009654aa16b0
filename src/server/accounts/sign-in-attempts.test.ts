import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseProxies } from '#server/http/client-ip.ts'
import { signIn } from '#server/testing/account-calls.ts'
import { addPerson, TEST_PASSWORD } from '#server/testing/builders.ts'
import { issuePass } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

const MINUTE = 60_000
const WRONG = 'Nao-E-Esta-2026!'
const BUILTIN = 'admin@grupopatio.com.br'

describeOnEachDatabase('the lockout after wrong passwords', (kind) => {
  const portal = setUpPortal({ kind })
  let behindProxy: TestPortal
  beforeAll(async () => {
    const { database, clock } = portal
    behindProxy = await startTestPortal({
      kind,
      database,
      clock,
      trustedProxies: parseProxies(['127.0.0.1']),
    })
  })
  afterAll(() => behindProxy.stop())
  beforeEach(() => portal.clock.advance(10 * MINUTE))

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const statuses = async (count: number, attempt: (index: number) => ReturnType<typeof signIn>) => {
    const seen: number[] = []
    for (let index = 0; index < count; index++) seen.push((await attempt(index)).status)
    return seen
  }
  const FIVE_THEN_LOCKED = [400, 400, 400, 400, 400, 429, 429]

  test('begins at five and doubles from 30 s to 15 min, alike for known and unknown addresses', async () => {
    const known = (await addPerson(portal, { password: TEST_PASSWORD })).email
    for (const email of [known, 'desconhecida@grupopatio.com.br']) {
      expect(await statuses(4, () => signIn(portal, email, WRONG))).toEqual([400, 400, 400, 400])
      const locks: number[] = []
      for (let round = 0; round < 7; round++) {
        expect((await signIn(portal, email, WRONG)).status).toBe(400)
        const refused = await signIn(portal, email, WRONG)
        expect([refused.status, refused.body.code]).toEqual([429, 'rate-limited'])
        const seconds = Number(refused.headers.get('retry-after'))
        locks.push(seconds)
        portal.clock.advance((seconds - 1) * 1000)
        expect((await signIn(portal, email, WRONG)).status).toBe(429)
        portal.clock.advance(1000)
      }
      expect(locks).toEqual([30, 60, 120, 240, 480, 900, 900])
    }
  })

  test('refuses the right password too until it ends, with the same answer', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    await statuses(5, () => signIn(portal, email, WRONG))
    const [right, wrong] = [await signIn(portal, email, TEST_PASSWORD), await signIn(portal, email, WRONG)]
    expect(right.body).toEqual({ ...wrong.body, requestId: right.body.requestId })
    portal.clock.advance(30_000)
    expect((await signIn(portal, email, TEST_PASSWORD)).status).toBe(200)
  })

  test('is cleared by a success, and expires after an hour', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    await statuses(4, () => signIn(portal, email, WRONG))
    expect((await signIn(portal, email, TEST_PASSWORD)).status).toBe(200)
    expect(await statuses(4, () => signIn(portal, email, WRONG))).toEqual([400, 400, 400, 400])
    portal.clock.advance(60 * MINUTE)
    expect(await statuses(7, () => signIn(portal, email, WRONG))).toEqual(FIVE_THEN_LOCKED)
  })

  test('lets no more than ten of fifty concurrent guesses reach a hash', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    const passes = await Promise.all(Array.from({ length: 50 }, () => issuePass(portal)))
    const replies = await Promise.all(passes.map((captcha) => signIn(portal, email, WRONG, { captcha })))
    const hashed = replies.filter((reply) => reply.status === 400)
    expect(hashed.length).toBeLessThanOrEqual(10)
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(50 - hashed.length)
  })

  test('refuses none of twenty concurrent right sign-ins, whatever failed before', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    await statuses(4, () => signIn(portal, email, WRONG))
    const passes = await Promise.all(Array.from({ length: 20 }, () => issuePass(portal)))
    const replies = await Promise.all(
      passes.map((captcha) => signIn(portal, email, TEST_PASSWORD, { captcha })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
  })

  test('is shared by replicas', async () => {
    const other = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const email = 'replicas@grupopatio.com.br'
    const either = (index: number) => signIn(index % 2 ? other : portal, email, WRONG)
    expect(await statuses(7, either)).toEqual(FIVE_THEN_LOCKED)
    await other.stop()
  })

  test('locks only the attempted account', async () => {
    await statuses(6, () => signIn(portal, 'trancada@grupopatio.com.br', WRONG))
    expect((await signIn(portal, 'vizinha@grupopatio.com.br', WRONG)).status).toBe(400)
  })

  describe('counts by client IP address', () => {
    test('ignoring a forged X-Forwarded-For', async () => {
      const email = 'alvo1@grupopatio.com.br'
      const forged = (index: number) => signIn(portal, email, WRONG, from(`198.51.100.${index}`))
      expect(await statuses(7, forged)).toEqual(FIVE_THEN_LOCKED)
    })

    test('ignoring forged entries before the address added by a trusted proxy', async () => {
      const email = 'alvo2@grupopatio.com.br'
      const forged = (index: number) =>
        signIn(behindProxy, email, WRONG, from(`10.0.0.${index}, 198.51.100.7`))
      expect(await statuses(7, forged)).toEqual(FIVE_THEN_LOCKED)
      expect((await signIn(behindProxy, email, WRONG, from('198.51.100.8'))).status).toBe(400)
    })

    test('treating an IPv6 /64 as one, in any notation', async () => {
      const email = 'alvo3@grupopatio.com.br'
      const same = [
        '2001:db8:1:2::1',
        '2001:DB8:1:2::2',
        '2001:0db8:0001:0002:ffff::3',
        '[2001:db8:1:2::4]:443',
      ]
      const rotated = (index: number) => signIn(behindProxy, email, WRONG, from(same[index % 4] as string))
      expect(await statuses(7, rotated)).toEqual(FIVE_THEN_LOCKED)
      expect((await signIn(behindProxy, email, WRONG, from('2001:db8:1:3::1'))).status).toBe(400)
    })

    test('ignoring the port that a proxy appends', async () => {
      const email = 'alvo4@grupopatio.com.br'
      const ported = (index: number) =>
        signIn(behindProxy, email, WRONG, from(`198.51.100.9:${50_000 + index}`))
      expect(await statuses(7, ported)).toEqual(FIVE_THEN_LOCKED)
    })

    test('with a tenfold threshold over all addresses together', async () => {
      const email = 'alvo5@grupopatio.com.br'
      const everywhere = (index: number) => signIn(behindProxy, email, WRONG, from(`203.0.113.${index}`))
      expect(await statuses(51, everywhere)).toEqual([...Array(50).fill(400), 429])
    })

    test('locking again after the overall lock only for a wrong password', async () => {
      const { email } = await addPerson(portal, { password: TEST_PASSWORD })
      const everywhere = (password: string) => (index: number) =>
        signIn(behindProxy, email, password, from(`203.0.113.${index}`))
      await statuses(50, everywhere(WRONG))
      portal.clock.advance(30_000)
      expect(await statuses(3, (index) => everywhere(TEST_PASSWORD)(100 + index))).toEqual([200, 200, 200])
      expect((await everywhere(WRONG)(200)).status).toBe(400)
      expect((await everywhere(TEST_PASSWORD)(201)).status).toBe(429)
    })
  })

  test('begins at three for the built-in administrator, who skips the human check', async () => {
    expect(await statuses(4, () => signIn(portal, BUILTIN, WRONG))).toEqual([400, 400, 400, 429])
  })

  test('is off with RATE_LIMITS=off', async () => {
    const { database, clock } = portal
    const unlimited = await startTestPortal({ kind, database, clock, rateLimits: false })
    const email = 'sem-limite@grupopatio.com.br'
    expect(await statuses(8, () => signIn(unlimited, email, WRONG))).toEqual(Array(8).fill(400))
    await unlimited.stop()
  })

  test('stores no e-mail addresses', async () => {
    await signIn(portal, 'curiosa@grupopatio.com.br', WRONG)
    const keys = await portal.database.db.selectFrom('sign_in_attempts').select('key').execute()
    expect(keys.length).toBeGreaterThan(0)
    for (const { key } of keys) expect(key).not.toMatch(/@|curiosa/)
  })
})

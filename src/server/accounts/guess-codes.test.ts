import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { parseProxies } from '#server/http/client-ip.ts'
import { receiveMail, signIn } from '#server/testing/account-calls.ts'
import { addFactor, addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { challenge } from '#server/testing/factor-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const DAY = 24 * 60 * 60_000
/** Ten thousand end alike, and take minutes: how many are looked at follows from the locks alone. */
const GUESSES = 300
const AT_ONCE = 10
/** Codes that are right at a time: the present one, the one before and the one after. */
const RIGHT_CODES = 3
const CODES = 1_000_000

describeOnEachDatabase('guesses of a code, however many in a day,', (kind) => {
  const options = { kind, trustedProxies: parseProxies(['127.0.0.1']) }
  const portal = setUpPortal(options)
  let replica: typeof portal
  beforeAll(async () => {
    replica = await startTestPortal({ ...options, database: portal.database, clock: portal.clock })
    return () => replica.stop()
  })

  test('are looked at twenty times at most, by whatever session, browser, address and replica', async () => {
    const { db } = portal.database
    const person = await addPerson(portal, { password: TEST_PASSWORD })
    const { id } = await addFactor(portal, person.user_id)
    const path = `/api/auth/factors/${id}/verify`
    let lookedAt = 0
    for (let sent = 0; sent < GUESSES; sent += AT_ONCE) {
      // The thief knows the password, and has browsers that the account has long known.
      const { access_token: token } = await openTestSession(portal, person)
      await db.updateTable('sessions').set({ known_device: sql`gen_random_uuid()` }).execute()
      const { body } = await challenge(portal, token, id)
      const replies = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) =>
          send(n % 2 ? portal : replica, 'POST', path, {
            token,
            body: { challenge_id: body.id, code: String(sent + n).padStart(6, '0') },
            headers: { 'x-forwarded-for': `198.51.${sent % 100}.${n}` },
          }),
        ),
      )
      lookedAt += replies.filter(({ body: { code } }) => code === 'factor-refused').length
      expect(new Set(replies.map(({ status }) => status))).not.toContain(200)
      portal.clock.advance((DAY * AT_ONCE) / GUESSES)
    }
    expect(lookedAt).toBeGreaterThan(3)
    expect(lookedAt).toBeLessThanOrEqual(20)
    expect((lookedAt * RIGHT_CODES) / CODES).toBeLessThan(1 / 10_000)
    expect(await receiveMail(portal, person.email, 'factor-failures')).toBeDefined()
    const counted = await db
      .selectFrom('failed_sign_ins')
      .select(({ fn }) => fn.sum<number>('attempts').as('attempts'))
      .where('outcome', '=', 'wrong-code')
      .executeTakeFirstOrThrow()
    expect(Number(counted.attempts)).toBe(lookedAt)
    // The owner is not kept out: a recovery code cannot be guessed, and is counted apart.
    const { access_token: token } = (await signIn(portal, person.email, TEST_PASSWORD)).body
    const tryRecoveryCode = (ip: string) =>
      send(portal, 'POST', '/api/auth/factors/recovery-codes/verify', {
        token,
        body: { code: 'ABCD-EFGH-JKLM-NPQR' },
        headers: { 'x-forwarded-for': ip },
      })
    for (const status of [400, 400, 400, 429])
      expect((await tryRecoveryCode('198.51.100.1')).status).toBe(status)
    const reply = await tryRecoveryCode('203.0.113.9')
    expect([reply.status, reply.body.code]).toEqual([400, 'factor-refused'])
  })
})

import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  receiveMail,
  refreshSession,
  requestRecovery,
  setPassword,
  useLink,
} from '#server/testing/account-calls.ts'
import { addPerson, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const MINUTE = 60_000
const work = vi.hoisted(() => ({ hashes: 0 }))
// The amount of work is not observable otherwise.
vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof import('@node-rs/argon2')>()
  const hash: typeof real.hash = (...args) => {
    work.hashes++
    return real.hash(...args)
  }
  return { ...real, hash }
})

describeOnEachDatabase('a forgotten password', (kind) => {
  const portal = setUpPortal({ kind, publicUrl: 'https://portal.example' })
  beforeEach(() => {
    portal.clock.advance(61 * MINUTE)
    portal.mails.length = 0
  })
  const addMember = (extra: Parameters<typeof addPerson>[1] = {}) =>
    addPerson(portal, { password: TEST_PASSWORD, ...extra })
  const findLink = async (email: string) => {
    await requestRecovery(portal, email)
    return (await receiveMail(portal, email, 'recovery'))?.link
  }

  describe('requesting a reset mail', () => {
    test('sends a link to the reset page', async () => {
      const { email } = await addMember()
      expect(await findLink(`${email}`)).toMatch(
        /^https:\/\/portal\.example\/reset-password#token_hash=[\w-]{43}&type=recovery$/,
      )
    })

    test('answers known, unverified and unknown addresses alike, with one row in the outbox', async () => {
      const known = await addMember()
      const unverified = await addMember({ email_verified_at: null })
      const replies = []
      for (const email of [known.email, unverified.email, 'ninguem@grupopatio.com.br']) {
        work.hashes = 0
        const { status, body } = await requestRecovery(portal, email)
        const rows = await portal.database.db
          .selectFrom('mail_outbox')
          .select('kind')
          .where('recipient', '=', email)
          .execute()
        replies.push({ status, body, rows, ...work })
      }
      expect(replies).toEqual(
        Array(3).fill({ status: 200, body: {}, rows: [{ kind: 'recovery' }], hashes: 0 }),
      )
      await portal.outbox.deliverDue()
      expect(portal.mails.map(({ to }) => to)).toEqual([known.email, unverified.email])
    })

    test('is limited to one per minute and five per hour for an address, known or not', async () => {
      for (const email of [(await addMember()).email, 'nenhum@grupopatio.com.br']) {
        for (let count = 0; count < 5; count++) {
          expect((await requestRecovery(portal, email)).status).toBe(200)
          const { status, headers } = await requestRecovery(portal, email)
          expect([status, headers.get('retry-after')]).toEqual([429, '60'])
          portal.clock.advance(MINUTE)
        }
        expect((await requestRecovery(portal, email)).status).toBe(429)
      }
    })
  })

  describe('the link', () => {
    test('works once, only for its purpose, for an hour', async () => {
      const { email } = await addMember()
      const link = await findLink(email)
      expect((await useLink(portal, 'signup', link)).body.code).toBe('invalid-link')
      portal.clock.advance(60 * MINUTE - 1)
      expect((await useLink(portal, 'recovery', link)).status).toBe(200)
      const again = await useLink(portal, 'recovery', link)
      expect([again.status, again.body.code]).toEqual([400, 'invalid-link'])
      const late = await findLink(email)
      portal.clock.advance(60 * MINUTE)
      expect((await useLink(portal, 'recovery', late)).body.code).toBe('invalid-link')
    })

    test('opens one session when used twice at the same time', async () => {
      const link = await findLink((await addMember()).email)
      const replies = await Promise.all([
        useLink(portal, 'recovery', link),
        useLink(portal, 'recovery', link),
      ])
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
    })

    test('opens a session of fifteen minutes, without refresh, that only sets a password', async () => {
      const { email } = await addMember({ role: 'admin' })
      const { body } = await useLink(portal, 'recovery', await findLink(email))
      expect(body).toMatchObject({ expires_in: 900, refresh_token: expect.stringMatching(/./) })
      const token = body.access_token
      for (const [method, path] of [
        ['GET', '/api/profiles/me'],
        ['GET', '/api/reports/me'],
        ['GET', '/api/global-powerbi-settings'],
        ['POST', '/api/functions/change-password'],
      ] as const) {
        const reply = await send(portal, method, path, { token })
        expect([reply.status, reply.body.code], path).toEqual([403, 'password-change-required'])
      }
      const refreshed = await refreshSession(portal, body.refresh_token)
      expect([refreshed.status, refreshed.body.code]).toEqual([400, 'invalid-refresh-token'])
      portal.clock.advance(15 * MINUTE - 1000)
      expect((await send(portal, 'GET', '/api/auth/user', { token })).status).toBe(200)
      portal.clock.advance(1000)
      expect((await setPassword(portal, token)).status).toBe(401)
    })
  })
})

import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  changePassword,
  isSignedIn,
  NEW_PASSWORD,
  openRecovery,
  receiveMail,
  refreshSession,
  setPassword,
  signIn,
} from '#server/testing/account-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const comparing = vi.hoisted(() => ({ before: async () => {} }))
// The race between reading the history and writing the new password can only be provoked here.
vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof import('@node-rs/argon2')>()
  const verify: typeof real.verify = async (...args) => {
    await comparing.before()
    return real.verify(...args)
  }
  return { ...real, verify }
})

const REUSED = { error: 'A nova senha não pode ser igual às últimas 5 senhas.' }
const nth = (n: number) => `Travessia-Lunar-${n}${n}${n}`

describeOnEachDatabase('changing the password', (kind) => {
  const portal = setUpPortal({ kind })
  beforeEach(() => {
    comparing.before = async () => {}
    portal.clock.advance(61 * 60_000)
    portal.mails.length = 0
  })
  const addMember = async (sessionKind: 'full' | 'forcedChange' = 'full') => {
    const person = await addPerson(portal, { password: TEST_PASSWORD })
    const session = await openTestSession(portal, person, sessionKind)
    return { person, session, token: session.access_token }
  }

  test('keeps this session and ends the others at their next request', async () => {
    const { person, session, token } = await addMember()
    const elsewhere = await openTestSession(portal, person)
    const { status, body } = await changePassword(portal, token)
    expect([status, body]).toMatchObject([200, { success: true }])
    expect(await isSignedIn(portal, token)).toBe(true)
    expect((await refreshSession(portal, session.refresh_token)).status).toBe(200)
    expect(await isSignedIn(portal, elsewhere.access_token)).toBe(false)
    expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(400)
    expect((await signIn(portal, person.email, NEW_PASSWORD)).status).toBe(200)
  })

  test('sends a mail and is recorded', async () => {
    const { person, token } = await addMember()
    await changePassword(portal, token)
    const mail = await receiveMail(portal, person.email)
    expect(mail).toMatchObject({ kind: 'password-changed', link: expect.stringContaining('/nao-fui-eu#') })
    expect(mail?.text).toMatch(/em \d\d\/\d\d\/\d{4}, \d\d:\d\d \(horário de Brasília\)/)
    const rows = await portal.database.db
      .selectFrom('audit_entries')
      .selectAll()
      .where('target_id', '=', person.user_id)
      .execute()
    expect(rows).toMatchObject([{ action: 'password-changed', actor_email: person.email }])
    expect(JSON.stringify(rows)).not.toContain(NEW_PASSWORD)
  })

  test('turns a forced-change session into a full one', async () => {
    const { session, token } = await addMember('forcedChange')
    const read = () => send(portal, 'GET', '/api/reports/me', { token })
    expect((await read()).body.code).toBe('password-change-required')
    expect((await changePassword(portal, token)).body).toMatchObject({ success: true })
    expect((await read()).status).toBe(200)
    const { body } = await refreshSession(portal, session.refresh_token)
    expect(body.user.app_metadata.must_change_password).toBe(false)
  })

  test.each([
    ['full', 'Travessia-1', 'A nova senha deve ter pelo menos 12 caracteres'],
    ['full', `${'Ab3$'.repeat(32)}x`, 'A nova senha deve ter no máximo 128 caracteres'],
    ['forcedChange', 'Travessia-1', 'A senha deve ter no mínimo 12 caracteres'],
    ['forcedChange', `${'Ab3$'.repeat(32)}x`, 'A senha deve ter no máximo 128 caracteres'],
  ] as const)('in a %s session rejects %s with the rule', async (sessionKind, password, error) => {
    const { person, token } = await addMember(sessionKind)
    const reply = await changePassword(portal, token, password)
    expect([reply.status, reply.body]).toEqual([200, { error }])
    expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(200)
  })

  test.each(['Password2026!', 'Muito-Patio-1987'])('rejects %s with a general message', async (password) => {
    const { token } = await addMember()
    const { status, body } = await changePassword(portal, token, password)
    expect([status, body.code]).toEqual([422, 'password-rejected'])
    expect(body.detail).toMatch(/^Senha rejeitada pelo servidor\. .*comuns\/vazadas\.$/)
  })

  test('reports the current password as reused, even if it is common', async () => {
    const person = await addPerson(portal, { password: 'Password2026!' })
    const { access_token } = await openTestSession(portal, person)
    const { body } = await changePassword(portal, access_token, 'Password2026!')
    expect(body).toEqual({ error: 'A nova senha não pode ser igual às últimas 5 senhas.' })
  })

  describe('to one of the last five', () => {
    const clearRateLimits = () => portal.database.db.deleteFrom('rate_limits').execute()
    /** Sets an initial password, then changes it, bypassing the rate limit. */
    const withHistory = async (changes: number) => {
      const member = await addMember()
      for (let n = 1; n <= changes; n++) {
        expect((await changePassword(portal, member.token, nth(n))).body).toMatchObject({ success: true })
        await clearRateLimits()
      }
      return member
    }

    test('is refused, and the sixth back is accepted', async () => {
      const { token } = await withHistory(5)
      for (const n of [5, 4, 3, 2, 1]) {
        expect((await changePassword(portal, token, nth(n))).body, nth(n)).toEqual(REUSED)
        await clearRateLimits()
      }
      const fresh = await changePassword(portal, token, TEST_PASSWORD)
      expect(fresh.body).toMatchObject({ success: true })
    })

    test('is refused when it was set by a reset, and at a reset', async () => {
      const { person, token } = await addMember()
      await setPassword(portal, await openRecovery(portal, person.email), nth(1))
      expect((await changePassword(portal, token, nth(2))).status).toBe(401)
      const { access_token } = (await signIn(portal, person.email, nth(1))).body
      expect((await changePassword(portal, access_token, TEST_PASSWORD)).body).toEqual(REUSED)
      portal.clock.advance(60_000)
      const again = await setPassword(portal, await openRecovery(portal, person.email), TEST_PASSWORD)
      expect([again.status, again.body.detail]).toEqual([422, REUSED.error])
    })

    test('stores no more than five hashes', async () => {
      const { person } = await withHistory(8)
      const kept = await portal.database.db
        .selectFrom('password_history')
        .select('id')
        .where('user_id', '=', person.user_id)
        .execute()
      expect(kept).toHaveLength(5)
    })

    test('counts the first of two concurrent changes', async () => {
      const { person, token } = await addMember()
      let under = 0
      // Both have read the old passwords before either writes.
      comparing.before = async () => {
        under++
        await waitFor(() => expect(under).toBeGreaterThan(1))
      }
      const replies = await Promise.all([changePassword(portal, token), changePassword(portal, token)])
      expect(replies.map(({ body }) => body)).toEqual(
        expect.arrayContaining([expect.objectContaining({ success: true }), REUSED]),
      )
      const kept = await portal.database.db
        .selectFrom('password_history')
        .select('id')
        .where('user_id', '=', person.user_id)
        .execute()
      expect(kept).toHaveLength(1)
    })
  })

  test('is limited to five per quarter of an hour', async () => {
    const { token } = await addMember()
    for (let count = 0; count < 5; count++)
      expect((await changePassword(portal, token, TEST_PASSWORD)).body).toEqual(REUSED)
    const { status, headers } = await changePassword(portal, token)
    expect([status, headers.get('retry-after')]).toEqual([429, '900'])
  })

  test('changes nothing if the session ended meanwhile', async () => {
    const { person, token } = await addMember()
    comparing.before = async () => {
      await portal.database.db.deleteFrom('sessions').where('user_id', '=', person.user_id).execute()
    }
    expect((await changePassword(portal, token)).status).toBe(401)
    expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(200)
  })

  test('leaves no session of a concurrent sign-in with the old password', async () => {
    const { person, token } = await addMember()
    const attempts = Array.from({ length: 4 }, () => signIn(portal, person.email, TEST_PASSWORD))
    const [changed, ...replies] = await Promise.all([changePassword(portal, token), ...attempts])
    expect(changed.body).toMatchObject({ success: true })
    for (const { body } of replies)
      if (body.access_token) expect(await isSignedIn(portal, body.access_token)).toBe(false)
  })
})

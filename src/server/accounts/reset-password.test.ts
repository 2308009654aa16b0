import { beforeEach, describe, expect, test } from 'vitest'
import {
  isSignedIn,
  NEW_PASSWORD,
  openRecovery,
  receiveMail,
  refreshSession,
  setPassword,
  signIn,
  useLink,
} from '#server/testing/account-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const MINUTE = 60_000
describeOnEachDatabase('a password reset', (kind) => {
  const portal = setUpPortal({ kind })
  beforeEach(() => {
    portal.clock.advance(61 * MINUTE)
    portal.mails.length = 0
  })
  const addMember = (extra: Parameters<typeof addPerson>[1] = {}) =>
    addPerson(portal, { password: TEST_PASSWORD, ...extra })

  describe('setting a new password', () => {
    test('ends every session, including this one, and signs its owner in', async () => {
      const person = await addMember()
      const elsewhere = await openTestSession(portal, person)
      const token = await openRecovery(portal, person.email)
      const { status, body } = await setPassword(portal, token)
      expect([status, body.email]).toEqual([200, person.email])
      for (const old of [token, elsewhere.access_token]) expect(await isSignedIn(portal, old)).toBe(false)
      expect((await refreshSession(portal, elsewhere.refresh_token)).status).toBe(400)
      expect((await setPassword(portal, token, 'Outra-Lunar-Travessia-9')).status).toBe(401)
      expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(400)
      expect((await signIn(portal, person.email, NEW_PASSWORD)).status).toBe(200)
    })

    test('sends a mail and is recorded', async () => {
      const { email, user_id } = await addMember()
      await setPassword(portal, await openRecovery(portal, email))
      expect(await receiveMail(portal, email)).toMatchObject({ kind: 'password-changed' })
      const rows = await portal.database.db
        .selectFrom('audit_entries')
        .select('action')
        .where('target_id', '=', user_id)
        .execute()
      expect(rows).toEqual([{ action: 'password-reset' }])
    })

    test('succeeds once when sent twice at the same time', async () => {
      const token = await openRecovery(portal, (await addMember()).email)
      const passwords = ['Travessia-Solar-11!', 'Travessia-Polar-22!']
      const replies = await Promise.all(passwords.map((password) => setPassword(portal, token, password)))
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401])
    })

    test('clears the owner’s lockout', async () => {
      const { email } = await addMember()
      for (let count = 0; count < 6; count++) await signIn(portal, email, 'errada')
      expect((await signIn(portal, email, TEST_PASSWORD)).status).toBe(429)
      await setPassword(portal, await openRecovery(portal, email))
      expect((await signIn(portal, email, NEW_PASSWORD)).status).toBe(200)
    })

    test('verifies the address, and cancels other mailed links', async () => {
      const { email, user_id } = await addMember({ email_verified_at: null })
      await send(portal, 'POST', '/api/auth/resend', { body: { type: 'signup', email } })
      const verification = (await receiveMail(portal, email, 'verification'))?.link
      const { body } = await setPassword(portal, await openRecovery(portal, email))
      expect(body.email_confirmed_at).toBe(new Date(portal.clock()).toISOString())
      expect((await useLink(portal, 'signup', verification)).status).toBe(400)
      const left = await portal.database.db
        .selectFrom('email_links')
        .select('purpose')
        .where('user_id', '=', user_id)
        .execute()
      expect(left).toEqual([{ purpose: 'signup-used' }])
    })

    test('neither promotes nor verifies the built-in administrator', async () => {
      const email = 'admin@grupopatio.com.br'
      await addMember({ email, email_verified_at: null })
      const { body } = await setPassword(portal, await openRecovery(portal, email))
      expect(body.email_confirmed_at).toBeNull()
      const token = (await signIn(portal, email, NEW_PASSWORD)).body.access_token
      expect((await send(portal, 'GET', '/api/user-roles/me', { token })).body).toEqual({ role: 'user' })
    })

    test('accepts a shorter password than sign-up; the next sign-in then requires a change', async () => {
      const { email } = await addMember()
      expect((await setPassword(portal, await openRecovery(portal, email), 'Lunar-8x')).status).toBe(200)
      const { body } = await signIn(portal, email, 'Lunar-8x')
      expect(body.user.app_metadata.must_change_password).toBe(true)
    })

    test.each([
      ['Lua-8x!', 'A senha deve ter no mínimo 8 caracteres'],
      [`${'Ab3$'.repeat(32)}x`, 'A senha deve ter no máximo 128 caracteres'],
      ['travessia', 'Por favor, escolha uma senha mais forte.'],
      ['Password1!', undefined],
      ['Muito-Patio-1987', undefined],
      [TEST_PASSWORD, 'A nova senha não pode ser igual às últimas 5 senhas.'],
    ])('rejects %s, and can be retried', async (password, detail) => {
      const { email } = await addMember()
      const token = await openRecovery(portal, email)
      const { status, body } = await setPassword(portal, token, password)
      expect([status, body.code]).toEqual([422, 'password-rejected'])
      expect(body.detail).toBe(
        detail ??
          'Senha rejeitada pelo servidor. Tente uma senha diferente com maiúsculas, minúsculas, números e símbolo, evitando senhas comuns/vazadas.',
      )
      expect((await setPassword(portal, token)).status).toBe(200)
    })

    test.each(['full', 'forcedChange'] as const)('is refused to a %s session', async (sessionKind) => {
      const person = await addMember()
      const { access_token } = await openTestSession(portal, person, sessionKind)
      const { status, body } = await setPassword(portal, access_token)
      expect(status).toBe(403)
      expect(body.code).toBe(sessionKind === 'full' ? 'forbidden' : 'password-change-required')
      expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(200)
    })
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import {
  changePassword,
  isSignedIn,
  openRecovery,
  previewLink,
  receiveMail,
  requestRecovery,
  setPassword,
  signIn,
  signUp,
  useLink,
} from '#server/testing/account-calls.ts'
import { readTrail, withRowLock } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

type Link = Parameters<typeof useLink>[2]
const MINUTE = 60_000
const BUILTIN = 'admin@grupopatio.com.br'
const STRANGERS = 'Estranha-Nebulosa-31!'
const OWNERS = 'Travessia-Lunar-88!'

describeOnEachDatabase('verifying an e-mail link', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, publicUrl: 'https://portal.example' })
  let made = 0
  const newAddress = () => `dona${++made}@grupopatio.com.br`
  beforeEach(() => {
    portal.mails.length = 0
  })
  const findLink = async (email: string) => (await receiveMail(portal, email, 'verification'))?.link
  const signUpAndGetMark = async (email: string, password: string): Promise<string> =>
    (await signUp(portal, email, password)).body.confirmation_mark
  const resend = (email: string) =>
    send(portal, 'POST', '/api/auth/resend', { body: { type: 'signup', email } })
  const opens = async (email: string, password: string) =>
    (await signIn(portal, email, password)).status === 200
  const expectOwners = async (email: string, ...foreign: string[]) => {
    expect(await opens(email, OWNERS)).toBe(true)
    for (const password of [STRANGERS, ...foreign]) expect(await opens(email, password), password).toBe(false)
  }
  const isFull = (token: string) => isSignedIn(portal, token)

  describe('after one sign-up', () => {
    test('by its owner, confirms without a password in the same browser', async () => {
      const email = newAddress()
      const mark = await signUpAndGetMark(email, OWNERS)
      const link = await findLink(email)
      expect((await previewLink(portal, 'signup', link, { mark })).body).toEqual({ email, state: 'confirms' })
      const { status, body } = await useLink(portal, 'signup', link, { mark })
      expect([status, body.user.email_confirmed_at]).toEqual([200, expect.any(String)])
      expect(body.device_token).toMatch(/^[\w-]{43}$/)
      expect(await isFull(body.access_token)).toBe(true)
      await expectOwners(email)
    })

    test('by its owner, asks for a password on a phone, which may be the same', async () => {
      const email = newAddress()
      await signUpAndGetMark(email, OWNERS)
      const link = await findLink(email)
      for (const beside of [{}, { mark: 'x'.repeat(43) }])
        expect((await previewLink(portal, 'signup', link, beside)).body.state).toBe('asks-password')
      const { status, body } = await useLink(portal, 'signup', link, { password: OWNERS })
      expect([status, await isFull(body.access_token)]).toEqual([200, true])
      expect(body.user.email_confirmed_at).toEqual(expect.any(String))
      await expectOwners(email)
      // The account is new: the person knows that they just set its password.
      const { db } = portal.database
      const mails = await db.selectFrom('mail_outbox').select('kind').where('recipient', '=', email).execute()
      expect(mails.map(({ kind }) => kind)).not.toContain('password-changed')
    })

    test('by a stranger, replaces the stranger’s password with the link owner’s', async () => {
      const email = newAddress()
      await signUpAndGetMark(email, STRANGERS)
      const early = (await signIn(portal, email, STRANGERS)).body.access_token
      const { status, body } = await useLink(portal, 'signup', await findLink(email), { password: OWNERS })
      expect([status, await isFull(body.access_token)]).toEqual([200, true])
      expect(await isFull(early)).toBe(false)
      const devices = portal.database.db
        .selectFrom('sign_in_devices')
        .innerJoin('profiles', 'profiles.user_id', 'sign_in_devices.user_id')
        .select('sign_in_devices.id')
        .where('email', '=', email)
      // Only the owner's.
      expect(await devices.execute()).toHaveLength(1)
      await expectOwners(email)
    })

    test('by a stranger, opens a session that may only set a password', async () => {
      const email = newAddress()
      await signUpAndGetMark(email, STRANGERS)
      const { body } = await useLink(portal, 'signup', await findLink(email))
      expect(await isFull(body.access_token)).toBe(false)
      expect(await opens(email, STRANGERS)).toBe(false)
      expect((await setPassword(portal, body.access_token, OWNERS)).status).toBe(200)
      await expectOwners(email)
    })

    test('by a stranger who changed the password meanwhile, removes all of theirs', async () => {
      const email = newAddress()
      await signUpAndGetMark(email, STRANGERS)
      const { access_token } = (await signIn(portal, email, STRANGERS)).body
      expect((await changePassword(portal, access_token, 'Outra-Estranha-7!')).body).toMatchObject({
        success: true,
      })
      const link = await findLink(email)
      expect((await useLink(portal, 'signup', link, { password: STRANGERS })).body.detail).toBe(
        'A nova senha não pode ser igual às últimas 5 senhas.',
      )
      await useLink(portal, 'signup', link, { password: OWNERS })
      await expectOwners(email, 'Outra-Estranha-7!')
    })

    test('confirms with a session of the same person, not with that of another', async () => {
      const email = newAddress()
      await signUp(portal, email, OWNERS)
      const link = await findLink(email)
      const other = (await openTestSession(portal, await addPerson(portal))).access_token
      expect((await previewLink(portal, 'signup', link, { token: other })).body.state).toBe('asks-password')
      const token = (await signIn(portal, email, OWNERS)).body.access_token
      portal.clock.advance(2 * MINUTE)
      expect((await previewLink(portal, 'signup', link, { token })).body.state).toBe('confirms')
      const { body } = await useLink(portal, 'signup', link, { token })
      expect([await isFull(body.access_token), await isFull(token)]).toEqual([true, false])
      await expectOwners(email)
    })

    test('accepts the mark only for its account and for half an hour', async () => {
      const [email, other] = [newAddress(), newAddress()]
      const mark = await signUpAndGetMark(email, OWNERS)
      const foreign = await signUpAndGetMark(other, OWNERS)
      const link = await findLink(email)
      const readState = async (given: string) =>
        (await previewLink(portal, 'signup', link, { mark: given })).body.state
      expect(await readState(foreign)).toBe('asks-password')
      portal.clock.advance(30 * MINUTE - 1)
      expect(await readState(mark)).toBe('confirms')
      portal.clock.advance(1)
      expect(await readState(mark)).toBe('asks-password')
      expect(
        JSON.stringify(await portal.database.db.selectFrom('sign_ups').selectAll().execute()),
      ).not.toContain(mark)
    })
  })

  describe('with a name and an access request from an unverified session', () => {
    const claim = {
      full_name: 'Dono Falso',
      workplace: 'Diretoria',
      note: 'Pode aprovar tudo',
      types: ['CRM'],
    }
    const ask = (token: string) => send(portal, 'PUT', '/api/access-requests/me', { token, body: claim })
    const start = async (): Promise<{ email: string; token: string; mark: string }> => {
      const email = newAddress()
      const mark = await signUpAndGetMark(email, STRANGERS)
      const token = (await signIn(portal, email, STRANGERS)).body.access_token
      expect((await ask(token)).status).toBe(200)
      return { email, token, mark }
    }
    const readClaim = async (email: string) => {
      const rows = portal.database.db
        .selectFrom('profiles')
        .leftJoin('access_requests', 'access_requests.user_id', 'profiles.user_id')
        .select(['full_name', 'note', 'email_verified_at'])
        .where('email', '=', email)
      const { email_verified_at, ...words } = await rows.executeTakeFirstOrThrow()
      expect(email_verified_at).not.toBeNull()
      return words
    }
    const nothing = { full_name: null, note: null }

    test.each([
      [
        'the link and a password',
        (_: string, link: Link) => useLink(portal, 'signup', link, { password: OWNERS }),
      ],
      ['the link alone', (_: string, link: Link) => useLink(portal, 'signup', link)],
      ['a reset', async (email: string) => setPassword(portal, await openRecovery(portal, email), OWNERS)],
    ])('discards both for an owner who verifies by %s', async (_, prove) => {
      const { email } = await start()
      expect((await prove(email, await findLink(email))).status).toBe(200)
      expect(await readClaim(email)).toEqual(nothing)
    })

    test('keeps both for the browser that signed up', async () => {
      const { email, mark } = await start()
      await useLink(portal, 'signup', await findLink(email), { mark })
      expect(await readClaim(email)).toEqual({ full_name: claim.full_name, note: claim.note })
    })

    test('refuses a concurrent access request', async () => {
      const { email, token } = await start()
      const link = await findLink(email)
      const { user_id } = await portal.database.db
        .selectFrom('profiles')
        .select('user_id')
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
      await withRowLock(portal, user_id, () => [
        useLink(portal, 'signup', link),
        ...Array.from({ length: 5 }, () => ask(token)),
      ])
      expect(await readClaim(email)).toEqual(nothing)
    })
  })

  describe('after two sign-ups', () => {
    test.each([
      ['stranger first', [STRANGERS, OWNERS]],
      ['owner first', [OWNERS, STRANGERS]],
    ])('%s, keeps no stored password, with any mark or session', async (_, passwords) => {
      const email = newAddress()
      const first = await signUpAndGetMark(email, passwords[0] as string)
      const second = await signUpAndGetMark(email, passwords[1] as string)
      const token = (await signIn(portal, email, passwords[0] as string)).body.access_token
      const link = await findLink(email)
      for (const beside of [{}, { mark: first }, { mark: second }, { token }])
        expect((await previewLink(portal, 'signup', link, beside)).body.state).toBe('asks-password')
      const { body } = await useLink(portal, 'signup', link, { mark: second, token })
      expect([await isFull(body.access_token), await isFull(token)]).toEqual([false, false])
      for (const password of passwords) expect(await opens(email, password)).toBe(false)
      expect((await setPassword(portal, body.access_token, OWNERS)).status).toBe(200)
      await expectOwners(email)
    })

    test('sets the password of whichever link is used, old, new or sent again', async () => {
      for (const which of [0, 1, 2]) {
        const email = newAddress()
        const links: Awaited<ReturnType<typeof findLink>>[] = []
        await signUp(portal, email, STRANGERS)
        links[0] = await findLink(email)
        await signUp(portal, email, OWNERS)
        links[1] = await findLink(email)
        await resend(email)
        links[2] = await findLink(email)
        expect(new Set(links).size).toBe(3)
        const { status } = await useLink(portal, 'signup', links[which], { password: OWNERS })
        expect(status).toBe(200)
        await expectOwners(email)
        for (const link of links)
          expect((await useLink(portal, 'signup', link, { password: STRANGERS })).body.code).toBe(
            'invalid-link',
          )
      }
    })

    test('trusts no password of accounts older than the sign-up count', async () => {
      const { email } = await addPerson(portal, { password: STRANGERS, email_verified_at: null })
      const mark = await signUpAndGetMark(email, OWNERS)
      expect((await previewLink(portal, 'signup', await findLink(email), { mark })).body.state).toBe(
        'asks-password',
      )
    })
  })

  describe('with a reset in between', () => {
    test('fails, because the reset verified the address', async () => {
      const email = newAddress()
      await signUp(portal, email, STRANGERS)
      const link = await findLink(email)
      await setPassword(portal, await openRecovery(portal, email), OWNERS)
      for (const password of [undefined, STRANGERS])
        expect(
          (await useLink(portal, 'signup', link, password === undefined ? {} : { password })).body.code,
        ).toBe('invalid-link')
      await expectOwners(email)
    })

    test('works if a stranger asked for the reset, and ends its links', async () => {
      const email = newAddress()
      const mark = await signUpAndGetMark(email, OWNERS)
      const link = await findLink(email)
      await requestRecovery(portal, email)
      expect((await useLink(portal, 'signup', link, { mark })).status).toBe(200)
      await expectOwners(email)
    })
  })

  describe('for the built-in administrator', () => {
    beforeEach(async () => {
      await portal.database.db.deleteFrom('profiles').where('email', '=', BUILTIN).execute()
    })
    const isAdmin = async (token: string) =>
      (await send(portal, 'GET', '/api/openapi.json', { token })).status === 200

    test('always requires a password, also in the browser that signed up', async () => {
      const mark = await signUpAndGetMark(BUILTIN, OWNERS)
      const token = (await signIn(portal, BUILTIN, OWNERS)).body.access_token
      const link = await findLink(BUILTIN)
      expect((await previewLink(portal, 'signup', link, { mark, token })).body.state).toBe('asks-password')
      const { body } = await useLink(portal, 'signup', link, { mark, password: OWNERS })
      expect(await isAdmin(body.access_token)).toBe(true)
    })

    test('removes a stranger’s password before the promotion', async () => {
      const mark = await signUpAndGetMark(BUILTIN, STRANGERS)
      const early = (await signIn(portal, BUILTIN, STRANGERS)).body.access_token
      const { body } = await useLink(portal, 'signup', await findLink(BUILTIN), { mark })
      for (const token of [early, body.access_token]) expect(await isAdmin(token)).toBe(false)
      expect(await opens(BUILTIN, STRANGERS)).toBe(false)
      await setPassword(portal, body.access_token, OWNERS)
      expect(await isAdmin((await signIn(portal, BUILTIN, OWNERS)).body.access_token)).toBe(true)
    })

    test('promotes, even after a reset in between, which does not', async () => {
      await signUp(portal, BUILTIN, STRANGERS)
      const link = await findLink(BUILTIN)
      await setPassword(portal, await openRecovery(portal, BUILTIN), 'Meio-Caminho-55!')
      const { body } = await useLink(portal, 'signup', link, { password: OWNERS })
      expect(await isAdmin(body.access_token)).toBe(true)
      await expectOwners(BUILTIN, 'Meio-Caminho-55!')
    })
  })

  describe('with a password', () => {
    test.each([
      ['Travessia-1', 'A senha deve ter no mínimo 12 caracteres'],
      [`${'Ab3$'.repeat(32)}x`, 'A senha deve ter no máximo 128 caracteres'],
      ['Password2026!', expect.stringContaining('Senha rejeitada pelo servidor.')],
    ])('rejects %s, and leaves the link and the account unchanged', async (password, detail) => {
      const email = newAddress()
      await signUp(portal, email, STRANGERS)
      const link = await findLink(email)
      const { status, body } = await useLink(portal, 'signup', link, { password })
      expect([status, body.code, body.detail]).toEqual([422, 'password-rejected', detail])
      expect(await opens(email, STRANGERS)).toBe(true)
      expect((await useLink(portal, 'signup', link, { password: OWNERS })).status).toBe(200)
    })

    test('accepts it in the link’s first hour only; a session or a new link still works', async () => {
      const email = newAddress()
      await signUp(portal, email, STRANGERS)
      const link = await findLink(email)
      portal.clock.advance(60 * MINUTE)
      expect((await previewLink(portal, 'signup', link)).body.state).toBe('too-late')
      for (const beside of [{}, { password: OWNERS }]) {
        const { status, body } = await useLink(portal, 'signup', link, beside)
        expect([status, body.code]).toEqual([400, 'invalid-link'])
        expect(body.detail).toContain('mais de uma hora')
      }
      const token = (await signIn(portal, email, STRANGERS)).body.access_token
      expect((await previewLink(portal, 'signup', link, { token })).body.state).toBe('confirms')
      await resend(email)
      expect((await useLink(portal, 'signup', await findLink(email), { password: OWNERS })).status).toBe(200)
      await expectOwners(email)
    })

    test('sets one when sent twice at the same time', async () => {
      const email = newAddress()
      await signUp(portal, email, STRANGERS)
      const link = await findLink(email)
      const passwords = ['Travessia-Solar-11!', 'Travessia-Polar-22!']
      const replies = await Promise.all(
        passwords.map((password) => useLink(portal, 'signup', link, { password })),
      )
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
      const open = await Promise.all(passwords.map((password) => opens(email, password)))
      expect(open).toEqual(replies.map(({ status }) => status === 200))
    })

    test('records it in addition to the verification', async () => {
      const email = newAddress()
      await signUp(portal, email, STRANGERS)
      await useLink(portal, 'signup', await findLink(email), { password: OWNERS })
      const trail = (await readTrail(portal)).filter(({ target_email }) => target_email === email)
      expect(trail.map(({ action, actor_email }) => [action, actor_email])).toEqual([
        ['account-created', null],
        ['email-verified', email],
        ['password-reset', email],
      ])
    })
  })

  describe('with a used link', () => {
    test('reports its use to the signed-in person whom it verified, and to no one else', async () => {
      const email = newAddress()
      const mark = await signUpAndGetMark(email, OWNERS)
      const link = await findLink(email)
      const token = (await useLink(portal, 'signup', link, { mark })).body.access_token
      expect((await previewLink(portal, 'signup', link, { token })).body).toEqual({ email, state: 'used' })
      const other = (await openTestSession(portal, await addPerson(portal))).access_token
      for (const beside of [{}, { mark }, { token: other }])
        expect((await previewLink(portal, 'signup', link, beside)).body.code).toBe('invalid-link')
      expect((await useLink(portal, 'signup', link, { token, mark })).body.code).toBe('invalid-link')
    })
  })

  describe('for a reset', () => {
    const member = async () => (await addPerson(portal, { password: TEST_PASSWORD })).email
    const resetLink = async (email: string) => {
      await requestRecovery(portal, email)
      return (await receiveMail(portal, email, 'recovery'))?.link
    }

    test('can be previewed any number of times, and works once', async () => {
      const email = await member()
      const link = await resetLink(email)
      for (let asked = 0; asked < 3; asked++)
        expect((await previewLink(portal, 'recovery', link)).body).toEqual({ email, state: 'asks-password' })
      expect((await previewLink(portal, 'signup', link)).body.code).toBe('invalid-link')
      const { status, body } = await useLink(portal, 'recovery', link, { password: OWNERS })
      expect([status, body.user.email]).toEqual([200, email])
      // The returned session has already ended.
      expect((await send(portal, 'GET', '/api/auth/user', { token: body.access_token })).status).toBe(401)
      expect((await previewLink(portal, 'recovery', link)).body.code).toBe('invalid-link')
      expect(await opens(email, TEST_PASSWORD)).toBe(false)
      await expectOwners(email)
      expect(await receiveMail(portal, email, 'password-changed')).toBeDefined()
    })

    test.each([
      ['Lua-8x!', 'A senha deve ter no mínimo 8 caracteres'],
      ['travessia', 'Por favor, escolha uma senha mais forte.'],
      ['Password1!', expect.stringContaining('Senha rejeitada pelo servidor.')],
      [TEST_PASSWORD, 'A nova senha não pode ser igual às últimas 5 senhas.'],
    ])('rejects %s and can be retried', async (password, detail) => {
      const email = await member()
      const link = await resetLink(email)
      const { status, body } = await useLink(portal, 'recovery', link, { password })
      expect([status, body.code, body.detail]).toEqual([422, 'password-rejected', detail])
      expect(await opens(email, TEST_PASSWORD)).toBe(true)
      expect((await useLink(portal, 'recovery', link, { password: OWNERS })).status).toBe(200)
    })

    test('stays valid when a stranger asks for another; using one ends the others', async () => {
      const email = await member()
      const own = await resetLink(email)
      const strangers = await resetLink(email)
      expect((await previewLink(portal, 'recovery', own)).status).toBe(200)
      expect((await useLink(portal, 'recovery', own, { password: OWNERS })).status).toBe(200)
      expect((await useLink(portal, 'recovery', strangers)).body.code).toBe('invalid-link')
    })
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import {
  changePassword,
  isSignedIn,
  NEW_PASSWORD,
  refreshSession,
  signIn,
} from '#server/testing/account-calls.ts'
import {
  addPerson,
  ageAuthentication,
  openTestSession,
  send,
  TEST_PASSWORD,
} from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { createTokens } from './tokens.ts'

const MINUTE = 60_000

describeOnEachDatabase('recent authentication', (kind) => {
  const portal = setUpPortal({ kind })
  let person: Awaited<ReturnType<typeof addPerson>>
  /** An access token whose session saw the password 11 minutes ago. */
  let stale: string
  let refreshToken: string
  beforeEach(async () => {
    // Past every limit of the test before.
    portal.clock.advance(61 * MINUTE)
    person = await addPerson(portal, { password: TEST_PASSWORD })
    const session = await openTestSession(portal, person)
    refreshToken = session.refresh_token
    stale = await ageAuthentication(portal, session.access_token, 11 * MINUTE)
  })
  const reauthenticate = (token: string, password = TEST_PASSWORD, rest: object = {}, at = portal) =>
    send(at, 'POST', '/api/auth/reauthenticate', { token, body: { password, ...rest } })
  const signOutOthers = (token: string) => send(portal, 'POST', '/api/auth/logout?scope=others', { token })
  const expectNeeded = ({ status, body }: Awaited<ReturnType<typeof send>>) =>
    expect([status, body?.code, body?.detail]).toEqual([
      403,
      'reauthentication-needed',
      'Nada foi feito: confirme sua senha para continuar.',
    ])
  const readActions = async () =>
    (
      await portal.database.db
        .selectFrom('audit_entries')
        .select('action')
        .where('target_id', '=', person.user_id)
        .execute()
    ).map(({ action }) => action)

  test('is needed to change the password and to end other sessions, which else stay as they are', async () => {
    const other = await openTestSession(portal, person)
    expectNeeded(await changePassword(portal, stale))
    expectNeeded(await signOutOthers(stale))
    expect(await isSignedIn(portal, other.access_token)).toBe(true)
    expect((await signIn(portal, person.email, NEW_PASSWORD)).status).toBe(400)
    expect(await readActions()).toEqual([])
  })

  test('is given by the password for ten minutes, in the same session, and recorded', async () => {
    const { status, body } = await reauthenticate(stale)
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: 600,
        expires_at: Math.floor(portal.clock() / 1000) + 600,
      },
    ])
    expect(await readActions()).toEqual(['reauthenticated'])
    const other = await openTestSession(portal, person)
    expect((await signOutOthers(body.access_token)).status).toBe(204)
    expect(await isSignedIn(portal, other.access_token)).toBe(false)
    expect((await changePassword(portal, body.access_token)).body).toMatchObject({ success: true })
    expect(await isSignedIn(portal, stale)).toBe(true)
  })

  test('does not come with a refresh, but stays with it', async () => {
    const first = await refreshSession(portal, refreshToken)
    expectNeeded(await changePassword(portal, first.body.access_token))
    await reauthenticate(first.body.access_token)
    const second = await refreshSession(portal, first.body.refresh_token)
    expect((await signOutOthers(second.body.access_token)).status).toBe(204)
    portal.clock.advance(9 * MINUTE)
    const third = await refreshSession(portal, second.body.refresh_token)
    expect((await signOutOthers(third.body.access_token)).status).toBe(204)
    portal.clock.advance(MINUTE + 1000)
    expectNeeded(await signOutOthers(third.body.access_token))
  })

  test('does not pass to a token that was stolen before it', async () => {
    await reauthenticate(stale)
    expectNeeded(await changePassword(portal, stale))
  })

  test('confirms no refresh whose reply was lost', async () => {
    await refreshSession(portal, refreshToken)
    const { body } = await reauthenticate(stale)
    expect(await isSignedIn(portal, body.access_token)).toBe(true)
    expect((await refreshSession(portal, refreshToken)).status).toBe(200)
  })

  test('is missing in a session that 0.2 opened, and in its tokens', async () => {
    const old = await openTestSession(portal, person)
    const { sid } = JSON.parse(Buffer.from(old.access_token.split('.')[1] as string, 'base64url').toString())
    const { db } = portal.database
    await db
      .updateTable('sessions')
      .set({ authenticated_at: null, amr: null, aal: null })
      .where('id', '=', sid)
      .execute()
    const { access } = createTokens(portal.keyring, portal.clock)
    const token = await access.sign({ userId: person.user_id, sessionId: sid, refreshCounter: 0 })
    expectNeeded(await changePassword(portal, token))
    expectNeeded(
      await changePassword(portal, (await refreshSession(portal, old.refresh_token)).body.access_token),
    )
    const { body } = await reauthenticate(token)
    expect((await changePassword(portal, body.access_token)).body).toMatchObject({ success: true })
  })

  test('is not needed for the change that a short password requires, nor to end all sessions', async () => {
    const forced = await openTestSession(portal, person, 'forcedChange')
    const token = await ageAuthentication(portal, forced.access_token, 60 * MINUTE)
    expect((await changePassword(portal, token)).body).toMatchObject({ success: true })
    expect((await send(portal, 'POST', '/api/auth/logout', { token })).status).toBe(204)
  })

  describe('by a wrong password', () => {
    const WRONG = 'Senha incorreta. Confira e tente novamente.'

    test('is refused in words and counted with the refused sign-ins', async () => {
      const { status, body } = await reauthenticate(stale, 'nem perto')
      expect([status, body.code, body.detail]).toEqual([400, 'invalid-credentials', WRONG])
      expectNeeded(await changePassword(portal, stale))
      const rows = await portal.database.db
        .selectFrom('failed_sign_ins')
        .select(['outcome', 'attempts'])
        .where('user_id', '=', person.user_id)
        .execute()
      expect(rows).toEqual([{ outcome: 'invalid-credentials', attempts: 1 }])
    })

    test('locks after three guesses, on every replica and for sign-ins from there, however many come at once', async () => {
      const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
      const guesses = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          reauthenticate(stale, `palpite ${n}`, {}, n % 2 ? replica : portal),
        ),
      )
      const tried = guesses.filter(({ status }) => status === 400)
      expect(tried.length).toBeLessThanOrEqual(3)
      expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([400, 429]))
      expect((await reauthenticate(stale)).status).toBe(429)
      expect((await signIn(replica, person.email, TEST_PASSWORD)).status).toBe(429)
      await replica.stop()
    })

    test('does not lock the known browser of the owner', async () => {
      const { device_token } = (await signIn(portal, person.email, TEST_PASSWORD)).body
      for (let guess = 0; guess < 5; guess++) await reauthenticate(stale, 'palpite')
      expect((await reauthenticate(stale)).status).toBe(429)
      expect((await reauthenticate(stale, TEST_PASSWORD, { device_token })).status).toBe(200)
    })
  })

  test('is not given to a session that was ended meanwhile, nor to one that owes a password', async () => {
    await portal.database.db.deleteFrom('sessions').where('user_id', '=', person.user_id).execute()
    expect((await reauthenticate(stale)).status).toBe(401)
    for (const limited of ['recovery', 'forcedChange'] as const) {
      const { access_token } = await openTestSession(portal, person, limited)
      expect((await reauthenticate(access_token)).body.code).toBe('password-change-required')
    }
  })
})

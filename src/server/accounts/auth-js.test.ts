import { AuthApiError, AuthRetryableFetchError, GoTrueClient } from '@supabase/auth-js'
import { beforeEach, describe, expect, test } from 'vitest'
import { isSignedIn } from '#server/testing/account-calls.ts'
import { addPerson, openTestSession, TEST_PASSWORD } from '#server/testing/builders.ts'
import { answerChallenge, encodeAnswer } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

/** Runs the official client, unmodified, against our GoTrue endpoints. */
describeOnEachDatabase('@supabase/auth-js', (kind) => {
  const portal = setUpPortal({ kind })
  let email: string
  beforeEach(async () => {
    portal.clock.advance(5 * 60_000)
    email = (await addPerson(portal, { password: TEST_PASSWORD, full_name: 'Vera' })).email
  })

  let made = 0
  const createClient = () =>
    new GoTrueClient({
      url: `${portal.url}/api/auth`,
      storageKey: `test-${made++}`,
      autoRefreshToken: false,
      persistSession: false,
      detectSessionInUrl: false,
    })
  const captchaToken = async () => encodeAnswer(await answerChallenge(portal))
  const signedIn = async (password = TEST_PASSWORD) => {
    const client = createClient()
    const options = { captchaToken: await captchaToken() }
    const { data, error } = await client.signInWithPassword({ email, password, options })
    expect(error).toBeNull()
    return { client, session: data.session as NonNullable<typeof data.session> }
  }

  test('signs in with a raw ALTCHA answer as its captcha token', async () => {
    const { client, session } = await signedIn()
    expect(session).toMatchObject({
      token_type: 'bearer',
      expires_in: 600,
      user: { email, aud: 'authenticated' },
    })
    expect((await client.getSession()).data.session?.access_token).toBe(session.access_token)
  })

  test('reads the user', async () => {
    const { client } = await signedIn()
    const { data, error } = await client.getUser()
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email,
      app_metadata: { must_change_password: false },
      user_metadata: { full_name: 'Vera' },
    })
  })

  test('refreshes', async () => {
    const { client, session } = await signedIn()
    const { data, error } = await client.refreshSession()
    expect(error).toBeNull()
    expect(data.session?.refresh_token).not.toBe(session.refresh_token)
    expect(await isSignedIn(portal, data.session?.access_token as string)).toBe(true)
  })

  test('refreshes with the same token again within ten seconds, after a lost reply', async () => {
    const { client, session } = await signedIn()
    const { data } = await client.refreshSession(session)
    portal.clock.advance(10_000)
    const again = await createClient().refreshSession(session)
    expect(again.error).toBeNull()
    expect(again.data.session?.refresh_token).toBe(data.session?.refresh_token)
  })

  test('restores a session from its tokens', async () => {
    const { session } = await signedIn()
    const other = createClient()
    const { data, error } = await other.setSession(session)
    expect(error).toBeNull()
    expect(data.user?.email).toBe(email)
    expect((await other.getUser()).data.user?.email).toBe(email)
  })

  test.each(['local', 'global', 'others', undefined] as const)('signs out with scope %s', async (scope) => {
    const { client, session } = await signedIn()
    const elsewhere = (await signedIn()).session
    const { error } = await client.signOut(scope && { scope })
    expect(error).toBeNull()
    expect(await isSignedIn(portal, session.access_token)).toBe(scope === 'others')
    expect(await isSignedIn(portal, elsewhere.access_token)).toBe(scope === 'local')
    expect((await client.getSession()).data.session === null).toBe(scope !== 'others')
  })

  test('signs out without error when the session is already gone', async () => {
    const { client } = await signedIn()
    await portal.database.db.deleteFrom('sessions').execute()
    expect((await client.signOut()).error).toBeNull()
  })

  describe('reports', () => {
    const failure = async (work: Promise<{ error: unknown }>) => {
      const { error } = await work
      expect(error).toBeInstanceOf(AuthApiError)
      const { message, status, code } = error as AuthApiError
      return { message, status, code }
    }

    test('a wrong password', async () => {
      const options = { captchaToken: await captchaToken() }
      const work = createClient().signInWithPassword({ email, password: 'errada', options })
      expect(await failure(work)).toEqual({
        message: 'Falha no login. Verifique suas credenciais.',
        status: 400,
        code: 'invalid_credentials',
      })
    })

    test('a missing human check', async () => {
      const work = createClient().signInWithPassword({ email, password: TEST_PASSWORD })
      expect(await failure(work)).toMatchObject({
        message: 'Por favor, complete a verificação reCAPTCHA',
        code: 'human_check_required',
      })
    })

    test('a malformed address', async () => {
      const work = createClient().signInWithPassword({ email: 'x', password: TEST_PASSWORD })
      expect(await failure(work)).toMatchObject({ message: 'E-mail inválido', code: 'invalid_input' })
    })

    test('an invalid refresh token', async () => {
      const { client, session } = await signedIn()
      await portal.database.db.deleteFrom('sessions').execute()
      const work = client.refreshSession({ refresh_token: session.refresh_token })
      expect(await failure(work)).toMatchObject({ status: 400, code: 'invalid_refresh_token' })
    })

    test('an invalid access token', async () => {
      const { client } = await signedIn()
      await portal.database.db.deleteFrom('sessions').execute()
      expect(await failure(client.getUser())).toMatchObject({ status: 401, code: 'unauthenticated' })
    })

    test('too many attempts', async () => {
      const { refresh_token } = await openTestSession(portal, await addPerson(portal))
      const client = createClient()
      let token = refresh_token
      for (let count = 0; count < 12; count++) {
        const { data } = await client.refreshSession({ refresh_token: token })
        token = data.session?.refresh_token as string
      }
      const work = client.refreshSession({ refresh_token: token })
      expect(await failure(work)).toMatchObject({ status: 429, code: 'rate_limited' })
    })
  })

  test('keeps its session when the server is unreachable', async () => {
    const gone = await startTestPortal({ kind, database: portal.database })
    const client = new GoTrueClient({
      url: `${gone.url}/api/auth`,
      autoRefreshToken: false,
      storageKey: 'gone',
    })
    const { session } = await signedIn()
    await client.setSession(session)
    await gone.stop()
    expect((await client.getUser()).error).toBeInstanceOf(AuthRetryableFetchError)
    expect((await client.getSession()).data.session?.refresh_token).toBe(session.refresh_token)
  })
})

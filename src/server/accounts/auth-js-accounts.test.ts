import { AuthApiError, GoTrueClient } from '@supabase/auth-js'
import { beforeEach, expect, test } from 'vitest'
import { getLinkToken, isSignedIn, NEW_PASSWORD, receiveMail } from '#server/testing/account-calls.ts'
import { addPerson, TEST_PASSWORD } from '#server/testing/builders.ts'
import { answerChallenge, encodeAnswer } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

/** Runs the official client, unmodified, from sign-up to a forgotten password. */
describeOnEachDatabase('@supabase/auth-js accounts', (kind) => {
  const portal = setUpPortal({ kind, publicUrl: 'https://portal.example' })
  let made = 0
  beforeEach(() => {
    portal.clock.advance(61 * 60_000)
    portal.mails.length = 0
  })

  const createClient = () =>
    new GoTrueClient({
      url: `${portal.url}/api/auth`,
      storageKey: `accounts-${made++}`,
      autoRefreshToken: false,
      persistSession: false,
      detectSessionInUrl: false,
    })
  const captcha = async () => ({ captchaToken: encodeAnswer(await answerChallenge(portal)) })
  const toProblem = (error: unknown) => {
    expect(error).toBeInstanceOf(AuthApiError)
    const { message, status, code } = error as AuthApiError
    return { message, status, code }
  }

  test('signs up, verifies, signs in, reads, refreshes and signs out', async () => {
    const email = `cliente${++made}@grupopatio.com.br`
    const client = createClient()
    const signedUp = await client.signUp({
      email,
      password: NEW_PASSWORD,
      options: { ...(await captcha()), emailRedirectTo: 'https://evil.example/auth/callback' },
    })
    expect(signedUp.error).toBeNull()
    expect(signedUp.data).toMatchObject({ session: null, user: { email, aud: 'authenticated' } })

    const link = (await receiveMail(portal, email))?.link
    expect(link).toMatch(/^https:\/\/portal\.example\/auth\/callback#/)
    const verified = await client.verifyOtp({ type: 'signup', token_hash: getLinkToken(link) })
    expect(verified.error).toBeNull()
    expect(verified.data.user?.email_confirmed_at).toEqual(expect.any(String))
    // This client sends no confirmation mark, so the link asks for a password.
    expect((await client.updateUser({ password: NEW_PASSWORD })).error).toBeNull()

    const { data, error } = await client.signInWithPassword({
      email,
      password: NEW_PASSWORD,
      options: await captcha(),
    })
    expect([error, data.user?.email]).toEqual([null, email])
    expect((await client.getUser()).data.user?.email).toBe(email)
    const refreshed = await client.refreshSession()
    expect(refreshed.error).toBeNull()
    const token = refreshed.data.session?.access_token as string
    expect(await isSignedIn(portal, token)).toBe(true)
    expect((await client.signOut()).error).toBeNull()
    expect(await isSignedIn(portal, token)).toBe(false)
  })

  test('cannot distinguish a known address at sign-up, resend and recovery', async () => {
    const known = await addPerson(portal, { password: TEST_PASSWORD })
    const results = []
    for (const email of [known.email, 'ninguem.js@grupopatio.com.br']) {
      const client = createClient()
      const signedUp = await client.signUp({ email, password: NEW_PASSWORD, options: await captcha() })
      const resent = await client.resend({ type: 'signup', email })
      const recovered = await client.resetPasswordForEmail(email, { redirectTo: 'https://portal.example/x' })
      const user = { ...signedUp.data.user, id: '', email: '', confirmation_mark: '' }
      results.push({ user, session: signedUp.data.session, error: signedUp.error, resent, recovered })
    }
    expect(results[0]).toMatchObject({ session: null, error: null, resent: { error: null } })
    expect(results[1]).toEqual(results[0])
  })

  test('resends the verification mail', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD, email_verified_at: null })
    const client = createClient()
    expect((await client.resend({ type: 'signup', email })).error).toBeNull()
    const again = await client.resend({ type: 'signup', email })
    expect(toProblem(again.error)).toMatchObject({ status: 429, code: 'rate_limited' })
    const token_hash = getLinkToken((await receiveMail(portal, email, 'verification'))?.link)
    expect((await client.verifyOtp({ type: 'signup', token_hash })).error).toBeNull()
  })

  test('resets a forgotten password with the recovery session', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    const client = createClient()
    const asked = await client.resetPasswordForEmail(email, {
      redirectTo: 'https://portal.example/reset-password',
    })
    expect(asked.error).toBeNull()
    const token_hash = getLinkToken((await receiveMail(portal, email, 'recovery'))?.link)
    const verified = await client.verifyOtp({ type: 'recovery', token_hash })
    expect(verified.error).toBeNull()
    expect((await client.getUser()).data.user?.email).toBe(email)

    const weak = await client.updateUser({ password: 'travessia' })
    expect(toProblem(weak.error)).toEqual({
      message: 'Por favor, escolha uma senha mais forte.',
      status: 422,
      code: 'password_rejected',
    })
    const updated = await client.updateUser({ password: NEW_PASSWORD })
    expect([updated.error, updated.data.user?.email]).toEqual([null, email])
    expect((await client.getUser()).error).not.toBeNull()
    const { error } = await createClient().signInWithPassword({
      email,
      password: NEW_PASSWORD,
      options: await captcha(),
    })
    expect(error).toBeNull()
  })

  test('reports a used link and a password change in an ordinary session as errors', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    const client = createClient()
    await client.resetPasswordForEmail(email)
    const token_hash = getLinkToken((await receiveMail(portal, email, 'recovery'))?.link)
    await createClient().verifyOtp({ type: 'recovery', token_hash })
    const again = await client.verifyOtp({ type: 'recovery', token_hash })
    expect(toProblem(again.error)).toEqual({
      message: 'Este link já foi usado ou expirou. Peça um novo e-mail e use o link mais recente.',
      status: 400,
      code: 'invalid_link',
    })
    await client.signInWithPassword({ email, password: TEST_PASSWORD, options: await captcha() })
    const { error } = await client.updateUser({ password: NEW_PASSWORD })
    expect(toProblem(error)).toMatchObject({ status: 403, code: 'forbidden' })
  })
})

import { GoTrueClient } from '@supabase/auth-js'
import { beforeEach, expect, test } from 'vitest'
import { isSignedIn } from '#server/testing/account-calls.ts'
import { addPerson, TEST_PASSWORD } from '#server/testing/builders.ts'
import { allowEnrolment, showCode } from '#server/testing/factor-calls.ts'
import { answerChallenge, encodeAnswer } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { createAuthenticator } from '#server/testing/software-authenticator.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const ORIGIN = 'https://portal.example'

/** Runs the official client, unmodified, through both steps. */
describeOnEachDatabase('@supabase/auth-js second factors', (kind) => {
  const portal = setUpPortal({ kind, publicUrl: ORIGIN })
  let made = 0
  let person: Awaited<ReturnType<typeof addPerson>>
  beforeEach(async () => {
    portal.clock.advance(61 * 60_000)
    person = await addPerson(portal, { password: TEST_PASSWORD })
  })
  const enter = async () => {
    const client = new GoTrueClient({
      url: `${portal.url}/api/auth`,
      storageKey: `factors-${made++}`,
      autoRefreshToken: false,
      persistSession: false,
      detectSessionInUrl: false,
      experimental: { recoveryCodes: true },
    })
    const { data, error } = await client.signInWithPassword({
      email: person.email,
      password: TEST_PASSWORD,
      options: { captchaToken: encodeAnswer(await answerChallenge(portal)) },
    })
    expect(error).toBeNull()
    return { client, token: data.session?.access_token as string }
  }
  const expectGood = <T>({ data, error }: { data: T; error: Error | null }) => {
    expect(error).toBeNull()
    return data as NonNullable<T>
  }
  const readLevels = async (client: GoTrueClient) => {
    const { currentLevel, nextLevel } = expectGood(await client.mfa.getAuthenticatorAssuranceLevel())
    return [currentLevel, nextLevel]
  }

  test('enrols TOTP, challenges, verifies, lists and unenrols', async () => {
    const { client, token } = await enter()
    expect(await readLevels(client)).toEqual(['aal1', 'aal1'])
    await allowEnrolment(portal, token, person.email)
    const enrolled = expectGood(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Celular' }))
    expect(enrolled).toMatchObject({ type: 'totp', friendly_name: 'Celular' })
    expect(enrolled.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /)
    const { id: factorId } = enrolled
    const code = showCode(portal, enrolled.totp.secret)
    const wrong = await client.mfa.challengeAndVerify({ factorId, code: '000000' })
    expect(wrong.error).toMatchObject({ status: 400, code: 'factor_refused' })
    const verified = expectGood(await client.mfa.challengeAndVerify({ factorId, code }))
    expect(verified.user.factors).toMatchObject([{ id: factorId, status: 'verified' }])
    expect(await readLevels(client)).toEqual(['aal2', 'aal2'])

    portal.clock.advance(60_000)
    const { client: later, token: firstStep } = await enter()
    expect(await readLevels(later)).toEqual(['aal1', 'aal2'])
    expect(await isSignedIn(portal, firstStep)).toBe(false)
    const { totp } = expectGood(await later.mfa.listFactors())
    expect(totp.map(({ id }) => id)).toEqual([factorId])
    const challenge = expectGood(await later.mfa.challenge({ factorId }))
    const answer = { factorId, challengeId: challenge.id, code: showCode(portal, enrolled.totp.secret) }
    const { access_token } = expectGood(await later.mfa.verify(answer))
    expect(await isSignedIn(portal, access_token)).toBe(true)
    const levels = expectGood(await later.mfa.getAuthenticatorAssuranceLevel(access_token))
    expect(levels.currentAuthenticationMethods).toMatchObject([{ method: 'password' }, { method: 'totp' }])
    expect(expectGood(await later.refreshSession()).session?.access_token).toEqual(expect.any(String))
    expect(await readLevels(later)).toEqual(['aal2', 'aal2'])
    expect(expectGood(await later.mfa.unenroll({ factorId })).id).toBe(factorId)
  })

  test('creates, counts, uses, replaces and removes recovery codes', async () => {
    const { client, token } = await enter()
    await allowEnrolment(portal, token, person.email)
    const { id: factorId, totp } = expectGood(await client.mfa.enroll({ factorType: 'totp' }))
    expectGood(await client.mfa.challengeAndVerify({ factorId, code: showCode(portal, totp.secret) }))
    const { codes, total } = expectGood(await client.mfa.recoveryCodes.generate({ friendlyName: 'x' }))
    expect([codes.length, total]).toEqual([10, 10])
    const { client: lost } = await enter()
    const { user } = expectGood(await lost.mfa.recoveryCodes.verify({ code: codes[0] as string }))
    expect(user.factors?.map(({ factor_type }) => factor_type).toSorted()).toEqual(['recovery_code', 'totp'])
    expect(await readLevels(lost)).toEqual(['aal2', 'aal2'])
    expect(expectGood(await lost.mfa.recoveryCodes.getStatus()).remaining).toBe(9)
    expect(expectGood(await lost.mfa.recoveryCodes.regenerate()).codes).toHaveLength(10)
    expect(expectGood(await lost.mfa.recoveryCodes.unenroll()).id).toEqual(expect.any(String))
    expect((await lost.mfa.recoveryCodes.getStatus()).error).toMatchObject({ status: 404 })
  })

  test('enrols a passkey as a factor, and shows it', async () => {
    const { client, token } = await enter()
    const key = createAuthenticator(ORIGIN)
    await allowEnrolment(portal, token, person.email)
    const { id: factorId } = expectGood(
      await client.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Notebook' }),
    )
    const answer = async (at: GoTrueClient) => {
      const webauthn = { rpId: 'portal.example', rpOrigins: [ORIGIN] }
      const challenge = expectGood(await at.mfa.challenge({ factorId, webauthn }))
      const { type, credential_options } = challenge.webauthn
      const { publicKey } = credential_options
      const options = {
        ...publicKey,
        challenge: Buffer.from(publicKey.challenge as ArrayBuffer).toString('base64url'),
      }
      const credential = type === 'create' ? key.create(options as never) : key.sign(options as never)
      const given = { ...webauthn, type, credential_response: credential as never }
      return at.mfa.verify({ factorId, challengeId: challenge.id, webauthn: given })
    }
    expectGood(await answer(client))
    const { client: later } = await enter()
    expect(await readLevels(later)).toEqual(['aal1', 'aal2'])
    expectGood(await answer(later))
    expect(await readLevels(later)).toEqual(['aal2', 'aal2'])
  })

  test('registers, lists, renames and deletes a passkey, and signs in with it', async () => {
    const { client, token } = await enter()
    const key = createAuthenticator(ORIGIN)
    await allowEnrolment(portal, token, person.email)
    const start = expectGood(await client.passkey.startRegistration())
    const credential = key.create(start.options as never)
    const { id: passkeyId } = expectGood(
      await client.passkey.verifyRegistration({
        challengeId: start.challenge_id,
        credential: credential as never,
      }),
    )
    expect(expectGood(await client.passkey.list())).toMatchObject([{ id: passkeyId }])
    const renamed = expectGood(await client.passkey.update({ passkeyId, friendlyName: 'Notebook' }))
    expect(renamed.friendly_name).toBe('Notebook')
    expectGood(await client.passkey.update({ passkeyId, friendlyName: 'Notebook' }))
    const entries = portal.database.db.selectFrom('audit_entries').select(['before', 'after'])
    expect(await entries.where('action', '=', 'factor-renamed').execute()).toEqual([
      { before: { id: passkeyId, name: 'Chave de acesso' }, after: { name: 'Notebook' } },
    ])

    const { client: anew } = await enter()
    const asked = expectGood(await anew.passkey.startAuthentication())
    const entered = expectGood(
      await anew.passkey.verifyAuthentication({
        challengeId: asked.challenge_id,
        credential: key.sign(asked.options as never) as never,
      }),
    )
    expect(entered.user?.email).toBe(person.email)
    expect(await readLevels(anew)).toEqual(['aal2', 'aal2'])
    expect((await anew.passkey.delete({ passkeyId })).error).toBeNull()
    expect(expectGood(await anew.passkey.list())).toEqual([])
  })
})

import { beforeEach, expect, test } from 'vitest'
import { isSignedIn, listSignIns, receiveMail, signIn } from '#server/testing/account-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { allowEnrolment, challenge, registerPasskey, signInByPasskey } from '#server/testing/factor-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { createAuthenticator } from '#server/testing/software-authenticator.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const ORIGIN = 'https://portal.example'

describeOnEachDatabase('a passkey', (kind) => {
  const portal = setUpPortal({ kind, publicUrl: ORIGIN })
  let person: Awaited<ReturnType<typeof addPerson>>
  let key: ReturnType<typeof createAuthenticator>
  let passkeyId: string
  beforeEach(async () => {
    portal.clock.advance(61 * 60_000)
    person = await addPerson(portal, { password: TEST_PASSWORD })
    key = createAuthenticator(ORIGIN)
    const { access_token } = await openTestSession(portal, person)
    const { body } = await registerPasskey(portal, { token: access_token, email: person.email, key })
    passkeyId = body.id
  })
  const readOutcomes = async () =>
    (
      await portal.database.db
        .selectFrom('failed_sign_ins')
        .select('outcome')
        .where('user_id', '=', person.user_id)
        .execute()
    ).map(({ outcome }) => outcome)
  const expectRefused = async (reply: Awaited<ReturnType<typeof send>>, outcome: string, detail: RegExp) => {
    expect([reply.status, reply.body.code]).toEqual([400, 'factor-refused'])
    expect(reply.body.detail).toMatch(detail)
    expect(await readOutcomes()).toEqual([outcome])
  }
  const answerFactor = async (token: string, answer: (options: never) => object) => {
    const { body } = await challenge(portal, token, passkeyId)
    const credential_response = answer(body.webauthn.credential_options.publicKey as never)
    return send(portal, 'POST', `/api/auth/factors/${passkeyId}/verify`, {
      token,
      body: { challenge_id: body.id, webauthn: { type: 'request', credential_response } },
    })
  }

  test('signs in by itself, with both steps, and is recorded as a sign-in', async () => {
    const { status, body } = await signInByPasskey(portal, (options) => key.sign(options))
    expect([status, body.user.email, body.user.app_metadata.second_factor]).toEqual([200, person.email, null])
    expect(await isSignedIn(portal, body.access_token)).toBe(true)
    const { sign_ins } = (await send(portal, 'GET', '/api/sessions/me', { token: body.access_token })).body
    expect(sign_ins).toMatchObject([{ refusal: null }])
    expect(await listSignIns(portal, person.user_id)).toEqual(['sign-in passkey'])
  })

  test('of another origin is refused, at the sign-in and as the second step', async () => {
    const at = 'https://portal.example.evil.test'
    const reply = await signInByPasskey(portal, (options) => key.sign(options, { at }))
    await expectRefused(reply, 'passkey-origin', /respondeu a outro endereço, que não é o do portal/)
    const { access_token } = (await signIn(portal, person.email, TEST_PASSWORD)).body
    const second = await answerFactor(access_token, (options) => key.sign(options, { at }))
    await expectRefused(second, 'passkey-origin', /outro endereço/)
  })

  test('registered at another origin is refused', async () => {
    const other = await addPerson(portal, { password: TEST_PASSWORD })
    const { access_token: token } = await openTestSession(portal, other)
    await allowEnrolment(portal, token, other.email)
    const start = await send(portal, 'POST', '/api/auth/passkeys/registration/options', { token, body: {} })
    const stranger = createAuthenticator('https://evil.test')
    const { status, body } = await send(portal, 'POST', '/api/auth/passkeys/registration/verify', {
      token,
      body: { challenge_id: start.body.challenge_id, credential: stranger.create(start.body.options) },
    })
    expect([status, body.code]).toEqual([400, 'factor-refused'])
    const { db } = portal.database
    const row = db.selectFrom('failed_sign_ins').select('outcome').where('user_id', '=', other.user_id)
    expect(await row.execute()).toEqual([{ outcome: 'passkey-origin' }])
  })

  test('whose answer is replayed is refused', async () => {
    const { body } = await send(portal, 'POST', '/api/auth/passkeys/authentication/options', { body: {} })
    const answer = { challenge_id: body.challenge_id, credential: key.sign(body.options) }
    const present = () => send(portal, 'POST', '/api/auth/passkeys/authentication/verify', { body: answer })
    expect((await present()).status).toBe(200)
    await expectRefused(await present(), 'passkey-replayed', /esta resposta já tinha sido usada/)
  })

  test('whose answer is sent twice at once opens one session', async () => {
    const { body } = await send(portal, 'POST', '/api/auth/passkeys/authentication/options', { body: {} })
    const answer = { challenge_id: body.challenge_id, credential: key.sign(body.options, { count: 0 }) }
    const replies = await Promise.all(
      Array.from({ length: 4 }, () =>
        send(portal, 'POST', '/api/auth/passkeys/authentication/verify', { body: answer }),
      ),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('whose counter goes back is refused, as that of a copy', async () => {
    expect((await signInByPasskey(portal, (options) => key.sign(options, { count: 7 }))).status).toBe(200)
    const reply = await signInByPasskey(portal, (options) => key.sign(options, { count: 7 }))
    await expectRefused(reply, 'passkey-counter', /o contador dela voltou/)
    expect((await signInByPasskey(portal, (options) => key.sign(options, { count: 8 }))).status).toBe(200)
  })

  test('and its copy at once open one session', async () => {
    const replies = await Promise.all(
      [1, 2, 3].map(() => signInByPasskey(portal, (options) => key.sign(options, { count: 50 }))),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
  })

  test('that another account has is refused, without telling whose it is', async () => {
    const other = await addPerson(portal, { password: TEST_PASSWORD })
    const { access_token: token } = await openTestSession(portal, other)
    const { status, body } = await registerPasskey(portal, { token, email: other.email, key })
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/a resposta não confere/)])
  })

  test('is refused as the second step too, when replayed or of a copy', async () => {
    const { access_token: token } = (await signIn(portal, person.email, TEST_PASSWORD)).body
    const { body } = await challenge(portal, token, passkeyId)
    const credential_response = key.sign(body.webauthn.credential_options.publicKey, { count: 7 })
    const answer = { challenge_id: body.id, webauthn: { type: 'request', credential_response } }
    const present = () =>
      send(portal, 'POST', `/api/auth/factors/${passkeyId}/verify`, { token, body: answer })
    expect((await present()).status).toBe(200)
    await expectRefused(await present(), 'passkey-replayed', /esta resposta já tinha sido usada/)
    const copied = await answerFactor(token, (options) => key.sign(options, { count: 6 }))
    expect(copied.body.detail).toMatch(/o contador dela voltou/)
    expect((await readOutcomes()).toSorted()).toEqual(['passkey-counter', 'passkey-replayed'])
  })

  test('of another person, removed, or with a signature of another key, is refused', async () => {
    const forged = createAuthenticator(ORIGIN)
    const answer = await signInByPasskey(portal, (options) => {
      const { toJSON } = forged.sign(options)
      return { ...toJSON(), id: key.id, rawId: key.id }
    })
    await expectRefused(answer, 'passkey-refused', /a resposta não confere/)
    const { access_token } = (await signIn(portal, person.email, TEST_PASSWORD)).body
    const other = await answerFactor(access_token, (options) => forged.sign(options))
    expect(other.body.code).toBe('factor-refused')
    const { body } = await signInByPasskey(portal, (options) => key.sign(options))
    await send(portal, 'DELETE', `/api/auth/passkeys/${passkeyId}`, { token: body.access_token })
    const gone = await signInByPasskey(portal, (options) => key.sign(options))
    expect(gone.body.detail).toBe(
      'Esta chave de acesso não é de nenhuma conta do portal. Entre com e-mail e senha.',
    )
    const { db } = portal.database
    const unknown = db
      .selectFrom('failed_sign_ins')
      .select('subject')
      .where('outcome', '=', 'passkey-unknown')
    await waitFor(async () => expect(await unknown.execute()).toContainEqual({ subject: 'unknown' }))
    expect(await receiveMail(portal, person.email, 'factor-removed')).toBeDefined()
  })

  test('is refused after sixty wrong answers of its own at one address, not after those of strangers', async () => {
    const present = (as: ReturnType<typeof createAuthenticator>, id: string) =>
      signInByPasskey(portal, (options) => ({ ...as.sign(options).toJSON(), id, rawId: id }))
    const stranger = createAuthenticator(ORIGIN)
    const codes: string[] = []
    for (let count = 0; count < 61; count++) codes.push((await present(stranger, stranger.id)).body.code)
    expect(codes).toEqual([...Array(60).fill('factor-refused'), 'rate-limited'])
    expect((await present(key, key.id)).status).toBe(200)
    const other = await addPerson(portal, { password: TEST_PASSWORD })
    const otherKey = createAuthenticator(ORIGIN)
    const { access_token: token } = await openTestSession(portal, other)
    await registerPasskey(portal, { token, email: other.email, key: otherKey })
    for (let count = 0; count < 60; count++)
      expect((await present(stranger, key.id)).body.code).toBe('factor-refused')
    expect((await present(key, key.id)).status).toBe(429)
    expect((await present(otherKey, otherKey.id)).status).toBe(200)
    portal.clock.advance(300_000)
    expect((await present(key, key.id)).status).toBe(200)
  })
})

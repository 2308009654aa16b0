import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { refreshSession, signIn } from '#server/testing/account-calls.ts'
import { addPerson, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { isPasswordRight } from './password-hashing.ts'

const hashes = vi.hoisted(() => ({ verified: 0, held: undefined as Promise<false> | undefined }))
// The amount of work is not observable otherwise.
vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof import('@node-rs/argon2')>()
  const verify: typeof real.verify = async (...args) => {
    hashes.verified++
    if (hashes.held) return hashes.held
    return real.verify(...args)
  }
  return { ...real, verify }
})

const SHORT = 'curta123456'

describeOnEachDatabase('signing in with a password', (kind) => {
  const portal = setUpPortal({ kind })
  beforeEach(() => {
    portal.clock.advance(10 * 60_000)
    hashes.verified = 0
  })

  test('opens a session in the format of GoTrue', async () => {
    const person = await addPerson(portal, { password: TEST_PASSWORD, full_name: 'Vera Vendas' })
    const { status, body } = await signIn(portal, person.email, TEST_PASSWORD)
    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]{48}$/),
      device_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'bearer',
      expires_in: 600,
      expires_at: Math.floor(portal.clock() / 1000) + 600,
      user: {
        id: person.user_id,
        aud: 'authenticated',
        role: 'authenticated',
        email: person.email,
        email_confirmed_at: person.email_verified_at,
        created_at: person.created_at,
        last_sign_in_at: new Date(portal.clock()).toISOString(),
        app_metadata: {
          provider: 'email',
          must_change_password: false,
          second_factor: null,
          second_factor_due: null,
        },
        factors: [],
        user_metadata: { full_name: 'Vera Vendas' },
      },
    })
  })

  test('accepts the address in any letter case and with surrounding spaces', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    expect((await signIn(portal, `  ${email.toUpperCase()} `, TEST_PASSWORD)).status).toBe(200)
  })

  test('works for people who are unverified, pending or without areas', async () => {
    const { email } = await addPerson(portal, {
      password: TEST_PASSWORD,
      email_verified_at: null,
      approved: false,
      types: [],
    })
    expect((await signIn(portal, email, TEST_PASSWORD)).status).toBe(200)
  })

  test('records who signed in, when and from where', async () => {
    const { email, user_id } = await addPerson(portal, { password: TEST_PASSWORD })
    const { headers } = await signIn(portal, email, TEST_PASSWORD, { headers: { 'user-agent': 'Navegador' } })
    const records = await portal.database.db
      .selectFrom('access_records')
      .selectAll()
      .where('user_id', '=', user_id)
      .execute()
    expect(records).toMatchObject([
      { action: 'sign-in', at: new Date(portal.clock()), ip: '127.0.0.1', user_agent: 'Navegador' },
    ])
    expect(records[0]?.request_id).toBe(headers.get('x-request-id'))
  })

  test('answers alike, after the same work, for a wrong, a missing or an unknown account’s password', async () => {
    const known = await addPerson(portal, { password: TEST_PASSWORD })
    const unfinished = await addPerson(portal)
    const replies = []
    for (const address of [known.email, 'ninguem@grupopatio.com.br', unfinished.email]) {
      hashes.verified = 0
      const { status, headers, body } = await signIn(portal, address, 'Outra-Senha-Longa-2026!')
      const { requestId: _, ...rest } = body
      replies.push({ status, body: rest, verified: hashes.verified, names: [...headers.keys()].sort() })
    }
    expect(replies[0]).toMatchObject({
      status: 400,
      verified: 1,
      body: { code: 'invalid-credentials', detail: 'Falha no login. Verifique suas credenciais.' },
    })
    expect(replies[1]).toEqual(replies[0])
    expect(replies[2]).toEqual(replies[0])
  })

  test('counts no attempt that the portal was too busy to check', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    const { db } = portal.database
    await db.deleteFrom('sign_in_attempts').execute()
    expect((await signIn(portal, email, 'Outra-Senha-Longa-2026!')).status).toBe(400)
    const { promise, resolve } = Promise.withResolvers<false>()
    hashes.held = promise
    const queue = Array.from({ length: 202 }, () => isPasswordRight(undefined, 'x'))
    onTestFinished(async () => {
      resolve(false)
      await Promise.all(queue)
      hashes.held = undefined
    })
    for (let count = 0; count < 5; count++)
      expect((await signIn(portal, email, TEST_PASSWORD)).body).toMatchObject({ code: 'too-busy' })
    const counted = await db.selectFrom('sign_in_attempts').select(['failures', 'locked_until']).execute()
    expect(counted.map(({ failures, locked_until }) => [failures, +locked_until <= portal.clock()])).toEqual([
      [1, true],
      [1, true],
    ])
  })

  test('compares every character of the password', async () => {
    const password = '  Çódigo Secreto €𝄞 2026  '
    const { email } = await addPerson(portal, { password })
    for (const wrong of [password.trim(), password.toLowerCase(), password.normalize('NFD'), `${password}x`])
      expect((await signIn(portal, email, wrong)).status, wrong).toBe(400)
    expect((await signIn(portal, email, password)).status).toBe(200)
  })

  describe('of less than 12 characters', () => {
    test('opens a session that may only change the password', async () => {
      const { email } = await addPerson(portal, { password: SHORT })
      const { status, body } = await signIn(portal, email, SHORT)
      expect([status, body.user.app_metadata.must_change_password]).toEqual([200, true])
      const token = body.access_token
      const user = await send(portal, 'GET', '/api/auth/user', { token })
      expect(user.body.app_metadata.must_change_password).toBe(true)
      for (const path of ['/api/profiles/me', '/api/reports/me', '/api/user-roles/me']) {
        const reply = await send(portal, 'GET', path, { token })
        expect([reply.status, reply.body.code], path).toEqual([403, 'password-change-required'])
      }
    })

    test('stays limited after every refresh', async () => {
      const { email } = await addPerson(portal, { password: SHORT })
      let session = (await signIn(portal, email, SHORT)).body
      for (let round = 0; round < 3; round++) {
        session = (await refreshSession(portal, session.refresh_token)).body
        expect(session.user.app_metadata.must_change_password).toBe(true)
        const reply = await send(portal, 'GET', '/api/reports/me', { token: session.access_token })
        expect(reply.body.code).toBe('password-change-required')
      }
    })

    test('limits an administrator too', async () => {
      const { email } = await addPerson(portal, { password: SHORT, role: 'admin' })
      const token = (await signIn(portal, email, SHORT)).body.access_token
      expect((await send(portal, 'GET', '/api/openapi.json', { token })).status).toBe(403)
    })
  })

  test('with exactly 12 characters opens a full session', async () => {
    const { email } = await addPerson(portal, { password: 'doze-letras!' })
    const { body } = await signIn(portal, email, 'doze-letras!')
    expect(body.user.app_metadata.must_change_password).toBe(false)
  })
})

import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  changePassword,
  openRecovery,
  refreshSession,
  setPassword,
  signIn,
  signUp,
} from '#server/testing/account-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
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
    for (const wrong of [password.trim(), password.toLowerCase(), password.replace('Ç', 'C'), `${password}x`])
      expect((await signIn(portal, email, wrong)).status, wrong).toBe(400)
    expect((await signIn(portal, email, password)).status).toBe(200)
  })

  describe('in Unicode', () => {
    const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
    /** A set password that nobody guesses, of letters that devices write in several forms. */
    const passwords = fc
      .array(fc.constantFrom('é', 'ã', 'Ç', 'ﬁ', '²', '９', 'Ａ', '한', 'が', '𝄞', 'x', '7', '!'), {
        minLength: 3,
        maxLength: 12,
      })
      .map((parts) => `Travessia ${parts.join('')} Lunar`)
    const setAnew = async (password: string) => {
      const person = await addPerson(portal, { password: TEST_PASSWORD })
      const { access_token } = await openTestSession(portal, person)
      expect((await changePassword(portal, access_token, password)).body).toMatchObject({ success: true })
      return person.email
    }
    const trySignIn = async (email: string, password: string) => {
      hashes.verified = 0
      const { status } = await signIn(portal, email, password)
      return { status, verified: hashes.verified }
    }

    test('is right in every equivalent form, whichever it was set in', async () => {
      await fc.assert(
        fc.asyncProperty(passwords, fc.constantFrom(...FORMS), async (password, form) => {
          const email = await setAnew(password.normalize(form))
          for (const typed of FORMS)
            expect((await trySignIn(email, password.normalize(typed))).status, typed).toBe(200)
          expect((await trySignIn(email, `${password}x`)).status).toBe(400)
        }),
        { numRuns: 6 },
      )
    })

    test('is right in every form after a sign-up too', async () => {
      const typed = 'Ação ﬁnal às ９ horas'
      await signUp(portal, 'forma@grupopatio.com.br', typed)
      expect((await signIn(portal, 'forma@grupopatio.com.br', typed.normalize('NFKD'))).status).toBe(200)
    })

    test('is right as it was typed where 0.2 hashed it', async () => {
      for (const form of FORMS) {
        const password = 'Ação ﬁnal às ９ horas'.normalize(form)
        const { email } = await addPerson(portal, { password })
        expect((await signIn(portal, email, password)).status, form).toBe(200)
      }
    })

    test('costs the same hashes for known, unknown, right and wrong', async () => {
      const fresh = await setAnew('Travessia às ９ Lunar')
      const old = await addPerson(portal, { password: 'Travessia às ９ Lunar' })
      const unfinished = await addPerson(portal)
      const emails = [fresh, old.email, unfinished.email, 'ninguem@grupopatio.com.br']
      for (const [password, verified] of [
        ['Travessia às ９ Lunar', 2],
        ['Travessia às 9 Lunar', 1],
        ['Errada às ９ Lunar', 2],
        ['Errada às 9 Lunar', 1],
      ] as const)
        for (const email of emails)
          expect((await trySignIn(email, password)).verified, `${email} ${password}`).toBe(verified)
    })

    test('counts as one attempt', async () => {
      const { db } = portal.database
      await db.deleteFrom('sign_in_attempts').execute()
      await signIn(portal, await setAnew('Travessia às 9 Lunar'), 'Errada às ９ Lunar')
      const counted = await db.selectFrom('sign_in_attempts').select('failures').execute()
      expect(counted.map(({ failures }) => failures)).toEqual([1, 1])
    })

    test('is reused in any of its forms, also those of 0.2', async () => {
      const typed = 'Ação ﬁnal às ９ horas'
      const again = [typed, typed.normalize('NFKC')]
      const old = await addPerson(portal, { password: typed })
      const token = (await signIn(portal, await setAnew(typed), typed)).body.access_token
      for (const password of [...again, typed.normalize('NFD')])
        expect((await changePassword(portal, token, password)).body.error).toMatch(/últimas 5 senhas/)
      const { access_token } = await openTestSession(portal, old)
      expect((await changePassword(portal, access_token, typed)).body.error).toMatch(/últimas 5 senhas/)
    })

    test('is hashed as typed while 0.2 is at work, which compares nothing else', async () => {
      const { db } = portal.database
      const typed = 'Ação ﬁnal às ９ horas'
      const colleague = await addPerson(portal)
      const { user_id } = colleague
      await openTestSession(portal, colleague)
      await db.updateTable('sessions').set({ renewed_at: null }).where('user_id', '=', user_id).execute()
      const email = await setAnew(typed)
      const signInForms = () =>
        Promise.all([typed, typed.normalize('NFKC')].map((form) => signIn(portal, email, form)))
      expect((await signInForms()).map(({ status }) => status)).toEqual([200, 400])
      await db.deleteFrom('sessions').where('user_id', '=', user_id).execute()
      portal.clock.advance(60_000)
      await setPassword(portal, await openRecovery(portal, email), `${typed}!`)
      expect((await signIn(portal, email, `${typed}!`.normalize('NFKD'))).status).toBe(200)
    })

    test('is measured as typed: a long form of eleven letters opens a full session, the short one does not', async () => {
      const typed = 'ação à noit'
      const email = (await addPerson(portal, { password: typed.normalize('NFKC') })).email
      const kinds = ['NFD', 'NFC'].map(async (form) => {
        const { body } = await signIn(portal, email, typed.normalize(form))
        return body.user.app_metadata.must_change_password
      })
      expect(await Promise.all(kinds)).toEqual([false, true])
    })
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

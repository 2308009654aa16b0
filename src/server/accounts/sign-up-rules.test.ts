import { beforeEach, describe, expect, test } from 'vitest'
import { NEW_PASSWORD, signUp } from '#server/testing/account-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { answerChallenge, encodeAnswer, issuePass } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const BUILTIN = 'admin@grupopatio.com.br'

describeOnEachDatabase('the rules of signing up', (kind) => {
  const portal = setUpPortal({ kind })
  let made = 0
  const newAddress = () => `candidata${++made}@grupopatio.com.br`
  beforeEach(() => portal.clock.advance(61 * 60_000))

  describe('require', () => {
    const problem = async (email: string, password?: string, captcha?: string) => {
      const { status, body } = await signUp(portal, email, password, captcha)
      return [status, body.code, body.detail]
    }

    test.each([
      ['vera@example.com', 'Apenas e-mails @grupopatio.com.br são permitidos'],
      ['vera@rj.grupopatio.com.br', 'Apenas e-mails @grupopatio.com.br são permitidos'],
      ['vera@grupop\u0430tio.com.br', 'E-mail inválido'],
      ['vera\u212a@grupopatio.com.br', 'E-mail inválido'],
      ['"vera@x"@grupopatio.com.br', 'E-mail inválido'],
      ['vera', 'E-mail inválido'],
      [`${'a'.repeat(240)}@grupopatio.com.br`, 'E-mail deve ter no máximo 255 caracteres'],
    ])('an address of the company: not %s', async (email, detail) => {
      expect(await problem(email)).toEqual([400, 'invalid-input', detail])
    })

    test('a password of 12 to 128 characters', async () => {
      const mixed = 'Ab3$'
      for (const [password, detail] of [
        ['Travessia-1', 'Senha deve ter no mínimo 12 caracteres'],
        [`${mixed.repeat(32)}x`, 'Senha deve ter no máximo 128 caracteres'],
      ] as const)
        expect(await problem(newAddress(), password)).toEqual([400, 'invalid-input', detail])
      expect((await signUp(portal, newAddress(), 'Travessia-12')).status).toBe(200)
      expect((await signUp(portal, newAddress(), `Travessia${'x7'.repeat(59)}y`)).status).toBe(200)
    })

    test('a password that is neither common nor personal', async () => {
      for (const password of ['Password2026!', 'Grupo-Pátio-2026', 'Grupopatio#88', 'Xnova77nova77X'])
        expect(await problem('nova77@grupopatio.com.br', password), password).toEqual([
          422,
          'password-rejected',
          'Senha rejeitada pelo servidor. Tente uma senha diferente com maiúsculas, minúsculas, números e símbolo, evitando senhas comuns/vazadas.',
        ])
    })

    test('more than known names and common words, naming the guessable part', async () => {
      const { db } = portal.database
      const item = {
        kind: 'marcas',
        code: 'ZURIQUE',
        label: 'ZURIQUE',
        position: 99,
        archived: false,
      } as const
      await db.insertInto('catalogue_items').values(item).execute()
      for (const [password, message] of [
        ['Toyota@Toyota1', 'Fácil de adivinhar: contém “toyota”.'],
        ['Fiat@2026FIAT', 'Fácil de adivinhar: contém “fiat” e “2026”.'],
        ['Brasil2026Brasil!', 'Fácil de adivinhar: contém “brasil” e “2026”.'],
        ['SenhaForte123!', 'Fácil de adivinhar: contém “senha”, “forte” e “123”.'],
        ['Zurique#Zurique9', 'Fácil de adivinhar: contém “zurique”.'],
      ] as const) {
        const { status, body } = await signUp(portal, newAddress(), password)
        expect([status, body.code, body.fields], password).toEqual([
          422,
          'password-rejected',
          [{ path: 'password', message }],
        ])
      }
    })

    test('the human check, also of the built-in administrator', async () => {
      const body = { email: BUILTIN, password: NEW_PASSWORD }
      const reply = await send(portal, 'POST', '/api/auth/signup', { body })
      expect([reply.status, reply.body.code]).toEqual([400, 'human-check-required'])
      expect((await problem(newAddress(), NEW_PASSWORD, 'errada')).slice(0, 2)).toEqual([
        400,
        'human-check-failed',
      ])
    })

    test('a separate pass for each account', async () => {
      const pass = await issuePass(portal)
      const email = newAddress()
      expect((await signUp(portal, email, NEW_PASSWORD, pass)).status).toBe(200)
      expect((await problem(newAddress(), NEW_PASSWORD, pass))[1]).toBe('human-check-failed')
    })

    test('a pass or a raw answer, where auth-js sends it', async () => {
      const captcha_token = encodeAnswer(await answerChallenge(portal))
      const sign = (email: string) =>
        send(portal, 'POST', '/api/auth/signup', {
          body: { email, password: NEW_PASSWORD, gotrue_meta_security: { captcha_token } },
        })
      expect((await sign(newAddress())).status).toBe(200)
      expect((await sign(newAddress())).body.code).toBe('human-check-failed')
    })
  })

  describe('limit', () => {
    const limited = async (email: string) => {
      const { status, headers } = await signUp(portal, email)
      return [status, headers.get('retry-after')]
    }

    test('mails to one per minute and five per hour for an address, known or not', async () => {
      for (const email of [newAddress(), (await addPerson(portal)).email]) {
        for (let count = 0; count < 5; count++) {
          expect((await limited(email))[0]).toBe(200)
          expect(await limited(email)).toEqual([429, '60'])
          portal.clock.advance(60_000)
        }
        expect((await limited(email))[0]).toBe(429)
      }
    })

    test('sign-ups to sixty per hour from one IP address', async () => {
      await portal.database.db.deleteFrom('rate_limits').execute()
      await signUp(portal, newAddress())
      await portal.database.db
        .updateTable('rate_limits')
        .set({ taken: 60 })
        .where('key', '=', 'sign-up 127.0.0.1')
        .execute()
      expect((await limited(newAddress()))[0]).toBe(429)
    })

    test('nothing after a failed human check', async () => {
      const email = newAddress()
      await signUp(portal, email, NEW_PASSWORD, 'errada')
      expect((await signUp(portal, email)).status).toBe(200)
    })
  })
})

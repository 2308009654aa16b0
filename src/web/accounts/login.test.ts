import { describe, expect, it } from 'vitest'
import type { ProblemCode } from '#contract/problem.ts'
import { ApiError, NetworkError } from '#web/http/api.ts'
import { explainFailure } from './explain-failure.ts'
import { firstFailure } from './first-failure.ts'

const failureOf = (code: ProblemCode, status: number, retryAfter?: number) =>
  new ApiError(
    { type: 'about:blank', title: '', status, detail: `detalhe de ${code}`, code, requestId: '' },
    status,
    retryAfter,
  )

describe('firstFailure', () => {
  it.each([
    ['', '', 'email', 'E-mail inválido'],
    ['ana', 'x', 'email', 'E-mail inválido'],
    [`${'a'.repeat(250)}@b.com`, 'x', 'email', 'E-mail deve ter no máximo 255 caracteres'],
    [' ana@b.com ', '', 'password', 'Senha é obrigatória'],
    ['ana@b.com', 'x'.repeat(129), 'password', 'Senha deve ter no máximo 128 caracteres'],
  ])('of %j and %j is at %s', (email, password, field, message) => {
    expect(firstFailure({ email, password })).toEqual({ field, message })
  })

  it('is none for a good form, whose address may have blanks around it', () => {
    expect(firstFailure({ email: ' ana@b.com ', password: 'x' })).toBeUndefined()
  })
})

describe('explainFailure', () => {
  it.each([
    [failureOf('invalid-credentials', 400), { title: 'Falha no login. Verifique suas credenciais.' }],
    [failureOf('human-check-required', 400), { title: 'Por favor, complete a verificação reCAPTCHA' }],
    [failureOf('human-check-failed', 400), { title: 'Falha na verificação reCAPTCHA' }],
    [
      failureOf('rate-limited', 429, 30),
      {
        title: 'Falha no login. Verifique suas credenciais.',
        description: 'Muitas tentativas. Tente novamente em 30 segundos.',
      },
    ],
    [
      failureOf('rate-limited', 429, 300),
      {
        title: 'Falha no login. Verifique suas credenciais.',
        description: 'Muitas tentativas. Tente novamente em 5 minutos.',
      },
    ],
    [
      failureOf('database-unavailable', 503, 5),
      {
        title: 'Falha no login. Verifique suas credenciais.',
        description: 'detalhe de database-unavailable',
      },
    ],
    [
      new NetworkError(),
      {
        title: 'Falha no login. Verifique suas credenciais.',
        description: 'Sem conexão com o portal. Verifique sua internet e tente novamente.',
      },
    ],
  ])('%s', (error, toast) => {
    expect(explainFailure(error)).toEqual(toast)
  })
})

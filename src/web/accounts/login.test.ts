import { describe, expect, it } from 'vitest'
import type { ProblemCode } from '#contract/problem.ts'
import { ApiError, NetworkError } from '#web/http/api.ts'
import { explainFailure } from './login-screen.tsx'

const createApiError = (code: ProblemCode, status: number, retryAfter?: number) =>
  new ApiError(
    { type: 'about:blank', title: '', status, detail: `detalhe de ${code}`, code, requestId: '' },
    status,
    retryAfter,
  )

describe('explainFailure', () => {
  it.each([
    [createApiError('invalid-credentials', 400), { title: 'Falha no login. Verifique suas credenciais.' }],
    [createApiError('human-check-required', 400), { title: 'Por favor, complete a verificação reCAPTCHA' }],
    [createApiError('human-check-failed', 400), { title: 'Falha na verificação reCAPTCHA' }],
    [
      createApiError('rate-limited', 429, 30),
      {
        title: 'Falha no login. Verifique suas credenciais.',
        description: 'Muitas tentativas. Tente novamente em 30 segundos.',
      },
    ],
    [
      createApiError('rate-limited', 429, 300),
      {
        title: 'Falha no login. Verifique suas credenciais.',
        description: 'Muitas tentativas. Tente novamente em 5 minutos.',
      },
    ],
    [
      createApiError('database-unavailable', 503, 5),
      {
        title: 'Falha no login. Verifique suas credenciais.',
        description: 'detalhe de database-unavailable',
      },
    ],
    [
      new NetworkError(),
      { title: 'Falha no login. Verifique suas credenciais.', description: new NetworkError().message },
    ],
  ])('%s', (error, toast) => {
    expect(explainFailure(error)).toEqual({ kind: 'error', ...toast })
  })
})

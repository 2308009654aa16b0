import { describe, expect, it } from 'vitest'
import { PROBLEMS, type ProblemCode } from '#contract/problem.ts'
import { ApiError, NetworkError } from '#web/http/send-request.ts'
import { describeSendFailure } from './contact-screen.tsx'

function refused(code: ProblemCode, retryAfterSeconds?: number): ApiError {
  const [status, title, detail] = PROBLEMS[code]
  return new ApiError(
    { type: 'about:blank', title, status, detail, code, requestId: '' },
    status,
    retryAfterSeconds,
  )
}

describe('describeSendFailure', () => {
  it.each([
    [1, '1 segundo'],
    [59, '59 segundos'],
    [60, '1 minuto'],
    [541, '10 minutos'],
    [3_600, '60 minutos'],
    [3_601, '2 horas'],
    [86_400, '24 horas'],
  ])('formats a wait of %i s as %s', (seconds, duration) => {
    expect(describeSendFailure(refused('rate-limited', seconds))).toBe(`Tente de novo em ${duration}.`)
  })

  it.each([
    [refused('rate-limited'), 'Muitas tentativas. Aguarde um pouco.'],
    [refused('internal'), 'Algo deu errado do nosso lado.'],
    [refused('request-timeout'), 'O pedido não chegou inteiro a tempo.'],
    [new NetworkError(), 'Sem conexão com o portal. Verifique sua internet.'],
    [refused('body-too-large'), PROBLEMS['body-too-large'][2]],
    ['x', ''],
  ])('drops the advice that the title already gives: %s', (error, text) => {
    expect(describeSendFailure(error)).toBe(text)
  })
})

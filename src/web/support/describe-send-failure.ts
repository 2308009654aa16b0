import { ApiError } from '#web/http/api-error.ts'

/**
 * What stands below 'Erro ao enviar mensagem. Tente novamente.': when to try again where the server said so,
 * or what went wrong without the advice that the title has given already. Empty where there is nothing to add.
 */
export function describeSendFailure(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const isLimited = error instanceof ApiError && error.problem.code === 'rate-limited'
  if (isLimited && error.retryAfterSeconds)
    return `Tente de novo em ${durationText(error.retryAfterSeconds)}.`
  return error.message.replace(/ Tente novamente[^.]*\.$/, '').replace(/ e tente novamente\.$/, '.')
}

/** '40 segundos', '10 minutos', '3 horas': rounded up, so that nobody comes back too early. */
function durationText(seconds: number): string {
  if (seconds < 60) return inUnit(seconds, 'second')
  if (seconds <= 3_600) return inUnit(seconds / 60, 'minute')
  return inUnit(seconds / 3_600, 'hour')
}

function inUnit(value: number, unit: 'second' | 'minute' | 'hour'): string {
  return Math.ceil(value).toLocaleString('pt-BR', { style: 'unit', unit, unitDisplay: 'long' })
}

import { signInMessages } from '#contract/accounts.ts'
import { ApiError } from '#web/http/api.ts'

/**
 * The toast for a sign-in that failed: a missing or refused human check speaks for itself, everything else
 * goes under the specification's title with what happened below it (SPEC section 8).
 */
export function explainFailure(error: unknown): { title: string; description?: string } {
  const code = error instanceof ApiError ? error.problem.code : undefined
  if (code === 'human-check-required') return { title: signInMessages.humanCheckRequired }
  if (code === 'human-check-failed') return { title: signInMessages.humanCheckFailed }
  if (code === 'invalid-credentials' || !(error instanceof Error)) return { title: signInMessages.failed }
  return { title: signInMessages.failed, description: detailOf(error) }
}

function detailOf(error: Error): string {
  const seconds = error instanceof ApiError && error.status === 429 ? error.retryAfterSeconds : undefined
  if (!seconds) return error.message
  const wait = seconds < 90 ? `${seconds} segundos` : `${Math.ceil(seconds / 60)} minutos`
  return `Muitas tentativas. Tente novamente em ${wait}.`
}

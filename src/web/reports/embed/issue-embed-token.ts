import type { ProblemCode } from '#contract/problem.ts'
import { reportRoutes } from '#contract/reports.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { getSession } from '#web/session/session.ts'
import type { TokenOutcome, TokenRequest } from './token-book.ts'

/** The server gives up after 8 s; a request that takes far longer is lost. */
const TIMEOUT_MS = 20_000
const NO_TOKEN = 'O servidor não enviou o token do relatório. Tente novamente em instantes.'
/** Refusals after which the whole screen changes and says why. */
const SCREEN_SAYS_WHY: readonly ProblemCode[] = [
  'unauthenticated',
  'not-approved',
  'password-change-required',
]

/** What a token is asked for with; the server takes marcas, estados and e-mail from the profile, whatever this says. */
export interface TokenScope {
  marcas: string[]
  estados: string[]
}

/** Asks for the embed token of one report (SPEC section 7, get-powerbi-token). Never rejects. */
export async function issueEmbedToken(
  { workspaceId, reportId, datasetId }: TokenRequest,
  { marcas, estados }: TokenScope,
  signal: AbortSignal,
): Promise<TokenOutcome> {
  const userEmail = getSession()?.user.email
  const body = { workspaceId, reportId, datasetId, marcas, estados, ...(userEmail && { userEmail }) }
  try {
    const input = { body, signal, timeoutMs: TIMEOUT_MS }
    const { embedToken, expiresInSeconds } = await callApi(reportRoutes.issueEmbedToken, input)
    if (!embedToken) return { kind: 'failed', detail: NO_TOKEN }
    return { kind: 'issued', value: embedToken, lifeMs: expiresInSeconds * 1_000 }
  } catch (error) {
    return outcomeOf(error)
  }
}

/** What a failed request means for its report: 401, 403 and 404 are the server's last word, all else may pass. */
export function outcomeOf(error: unknown): TokenOutcome {
  if (!(error instanceof ApiError))
    return { kind: 'failed', detail: error instanceof Error ? error.message : '' }
  const { code, detail } = error.problem
  if (code === 'no-scope') return { kind: 'no-scope' }
  if (![401, 403, 404].includes(error.status)) return { kind: 'failed', detail }
  return SCREEN_SAYS_WHY.includes(code) ? { kind: 'refused' } : { kind: 'refused', detail }
}

import type { ReplyNamed } from '#contract/index.ts'
import type { ProblemCode } from '#contract/problem.ts'
import type { OwnReports } from '#contract/reports.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { getSession } from '#web/session/session-store.ts'
import type { TokenOutcome, TokenRequest } from './embed-token-store.ts'

type IssuedToken = ReplyNamed<'POST /api/functions/get-powerbi-token'>

/** The server times out after 15 s, so a request that takes this long is lost. */
const ISSUE_TIMEOUT_MS = 25_000
const NO_TOKEN = 'O servidor não enviou o token do relatório. Tente novamente em instantes.'
/** Refusals that replace the whole screen, which explains them. */
const EXPLAINED_BY_SCREEN: readonly ProblemCode[] = [
  'unauthenticated',
  'not-approved',
  'access-ended',
  'view-ended',
  'password-change-required',
]

/**
 * Requests the embed token of one of the user's own reports.
 * @param scope as cached; the server takes marcas, estados and e-mail from the profile instead
 */
export async function issueEmbedToken(
  { workspaceId, reportId, datasetId }: TokenRequest,
  { marcas, estados }: Pick<OwnReports, 'marcas' | 'estados'>,
  signal?: AbortSignal,
): Promise<TokenOutcome> {
  const userEmail = getSession()?.user.email
  const body = { workspaceId, reportId, datasetId, marcas, estados, ...(userEmail && { userEmail }) }
  return toTokenOutcome(
    callApi('POST /api/functions/get-powerbi-token', { body, signal, timeoutMs: ISSUE_TIMEOUT_MS }),
  )
}

/** Converts the reply of a token request to an outcome; never rejects. */
function toTokenOutcome(issuing: Promise<IssuedToken>): Promise<TokenOutcome> {
  return issuing.then(({ embedToken, expiresInSeconds, isPaginated = false }) => {
    if (!embedToken) return { kind: 'failed', detail: NO_TOKEN }
    return { kind: 'issued', value: embedToken, lifetimeMs: expiresInSeconds * 1_000, isPaginated }
  }, toFailureOutcome)
}

/** Requests an embed token with another person's identity, for a running 'Ver como' session. */
export function issueViewAsToken(
  { userId, view }: { userId: string; view: string },
  { workspaceId, reportId, datasetId }: TokenRequest,
  signal: AbortSignal,
): Promise<TokenOutcome> {
  const input = {
    params: { userId },
    body: { view, workspaceId, reportId, datasetId },
    signal,
    timeoutMs: ISSUE_TIMEOUT_MS,
  }
  return toTokenOutcome(callApi('POST /api/profiles/{userId}/embed-token', input))
}

/**
 * Classifies a failed token request: 401, 403 and 404 are final, a report rejected by the service
 * needs an administrator, everything else may be retried.
 */
export function toFailureOutcome(error: unknown): TokenOutcome {
  if (!(error instanceof ApiError))
    return { kind: 'failed', detail: error instanceof Error ? error.message : '' }
  const { code, detail } = error.problem
  if (code === 'no-scope') return { kind: 'no-scope' }
  if (code === 'power-bi-rejected') return { kind: 'rejected', detail }
  if (![401, 403, 404].includes(error.status)) {
    const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1_000
    return { kind: 'failed', detail, isPaused: code === 'capacity-paused', retryAfterMs }
  }
  return EXPLAINED_BY_SCREEN.includes(code) ? { kind: 'refused' } : { kind: 'refused', detail }
}

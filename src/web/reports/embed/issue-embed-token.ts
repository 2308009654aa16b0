import type { ReplyNamed } from '#contract/index.ts'
import type { ProblemCode } from '#contract/problem.ts'
import type { OwnReports } from '#contract/reports.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { getSession } from '#web/session/session-store.ts'
import type { TokenOutcome, TokenRequest } from './token-book.ts'

type IssuedToken = ReplyNamed<'POST /api/functions/get-powerbi-token'>

/** The server gives up after 15 s; a request that takes far longer is lost. */
const ISSUE_TIMEOUT_MS = 25_000
const NO_TOKEN = 'O servidor não enviou o token do relatório. Tente novamente em instantes.'
/** Refusals after which the whole screen changes and says why. */
const SCREEN_SAYS_WHY: readonly ProblemCode[] = [
  'unauthenticated',
  'not-approved',
  'access-ended',
  'view-ended',
  'password-change-required',
]

/**
 * Asks for the embed token of one of one's own reports.
 * @param scope as the browser knows it; the server takes marcas, estados and e-mail from the profile, whatever this says
 */
export async function issueEmbedToken(
  { workspaceId, reportId, datasetId }: TokenRequest,
  { marcas, estados }: Pick<OwnReports, 'marcas' | 'estados'>,
  signal?: AbortSignal,
): Promise<TokenOutcome> {
  const userEmail = getSession()?.user.email
  const body = { workspaceId, reportId, datasetId, marcas, estados, ...(userEmail && { userEmail }) }
  return outcomeOfIssue(
    callApi('POST /api/functions/get-powerbi-token', { body, signal, timeoutMs: ISSUE_TIMEOUT_MS }),
  )
}

/** What a call for a token comes to; it never rejects. */
function outcomeOfIssue(issuing: Promise<IssuedToken>): Promise<TokenOutcome> {
  return issuing.then(({ embedToken, expiresInSeconds, isPaginated = false }) => {
    if (!embedToken) return { kind: 'failed', detail: NO_TOKEN }
    return { kind: 'issued', value: embedToken, lifeMs: expiresInSeconds * 1_000, isPaginated }
  }, outcomeOf)
}

/** Asks for a token with somebody else's identity, for a view that has been begun. */
export function issueEmbedTokenOf(
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
  return outcomeOfIssue(callApi('POST /api/profiles/{userId}/embed-token', input))
}

/**
 * What a failed request means for its report: 401, 403 and 404 are the server's last word, a report that the
 * service rejects needs an administrator, all else may pass.
 */
export function outcomeOf(error: unknown): TokenOutcome {
  if (!(error instanceof ApiError))
    return { kind: 'failed', detail: error instanceof Error ? error.message : '' }
  const { code, detail } = error.problem
  if (code === 'no-scope') return { kind: 'no-scope' }
  if (code === 'power-bi-rejected') return { kind: 'rejected', detail }
  if (![401, 403, 404].includes(error.status)) {
    const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1_000
    return { kind: 'failed', detail, isPaused: code === 'capacity-paused', retryAfterMs }
  }
  return SCREEN_SAYS_WHY.includes(code) ? { kind: 'refused' } : { kind: 'refused', detail }
}

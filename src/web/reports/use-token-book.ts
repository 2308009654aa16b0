import { useEffect, useState } from 'react'
import type { ReplyNamed } from '#contract/index.ts'
import { reportMessages } from '#contract/messages.ts'
import type { ProblemCode } from '#contract/problem.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { getSession } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import {
  createTokenBook,
  type TokenBook,
  type TokenBookOptions,
  type TokenOutcome,
  type TokenRequest,
  type TokenState,
} from './embed/token-book.ts'
import { ownReportsQuery, type ReportTab } from './own-reports.ts'

const TICK_MS = 1_000

/** The tokens of one's own reports, kept renewed for as long as the component is mounted. */
export const useTokenBook = (userId: string) =>
  useTokensFrom(
    (request, signal) => issueEmbedToken(userId, request, signal),
    () => void queryClient.invalidateQueries(ownReportsQuery(userId)),
  )

/** The same from another route; both functions count as they are at first. */
export function useTokensFrom(issue: TokenBookOptions['issue'], onRefused: () => void) {
  const [tokens, setTokens] = useState<ReadonlyMap<string, TokenState>>(new Map())
  const [book] = useState(() =>
    createTokenBook({
      issue,
      onChange: setTokens,
      onFailed: (area, description) =>
        showToast({ kind: 'error', title: reportMessages.tokenFailed(area), description }),
      onRefused,
    }),
  )

  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const timer = setInterval(book.tick, TICK_MS)
    const onVisible = () => document.visibilityState === 'visible' && book.wake()
    document.addEventListener('visibilitychange', onVisible, { signal })
    window.addEventListener('pageshow', book.wake, { signal })
    window.addEventListener('online', book.wake, { signal })
    return () => {
      clearInterval(timer)
      ending.abort()
      book.close()
    }
  }, [book])

  return { book, tokens }
}

/** Asks for the tokens of these tabs: the selected one's first, and again whenever it is stale. */
export function useTokensOf(
  book: TokenBook,
  tabs: readonly ReportTab[],
  selectedKey: string | undefined,
): void {
  useEffect(() => {
    const requests = tabs.flatMap((tab) => (tab.kind === 'embedded' ? [tab.request] : []))
    book.sync(requests, selectedKey)
  }, [book, tabs, selectedKey])
}

type IssuedToken = ReplyNamed<'POST /api/functions/get-powerbi-token'>

/** The server gives up after 15 s; a request that takes far longer is lost. */
const TIMEOUT_MS = 25_000
const NO_TOKEN = 'O servidor não enviou o token do relatório. Tente novamente em instantes.'
/** Refusals after which the whole screen changes and says why. */
const SCREEN_SAYS_WHY: readonly ProblemCode[] = [
  'unauthenticated',
  'not-approved',
  'access-ended',
  'view-ended',
  'password-change-required',
]

/** A token that was asked for before the server had said which reports there are. */
let ahead: { userId: string; ids: string; askedAt: number; outcome: Promise<TokenOutcome> } | undefined

const idsOf = ({ workspaceId, reportId, datasetId }: TokenRequest) =>
  [workspaceId, reportId, datasetId].join(' ')

/**
 * Asks for the token of a remembered report while its frame loads. Whether the person may have it the server decides
 * as ever; nobody learns of a refusal unless the report turns out to be among the person's.
 */
export function askTokenAhead(userId: string, request: TokenRequest): void {
  const outcome = requestToken(userId, request)
  ahead = { userId, ids: idsOf(request), askedAt: Date.now(), outcome }
}

function issueEmbedToken(userId: string, request: TokenRequest, signal: AbortSignal): Promise<TokenOutcome> {
  const early = ahead
  ahead = undefined
  const isFor = early?.userId === userId && early.ids === idsOf(request)
  if (isFor && Date.now() - early.askedAt < TIMEOUT_MS) return early.outcome
  return requestToken(userId, request, signal)
}

/** Asks for the embed token of one report; the server takes marcas, estados and e-mail from the profile, whatever this says. */
async function requestToken(
  userId: string,
  { workspaceId, reportId, datasetId }: TokenRequest,
  signal?: AbortSignal,
): Promise<TokenOutcome> {
  const { marcas = [], estados = [] } = queryClient.getQueryData(ownReportsQuery(userId).queryKey) ?? {}
  const userEmail = getSession()?.user.email
  const body = { workspaceId, reportId, datasetId, marcas, estados, ...(userEmail && { userEmail }) }
  return outcomeOfIssue(
    callApi('POST /api/functions/get-powerbi-token', { body, signal, timeoutMs: TIMEOUT_MS }),
  )
}

/** What a call for a token comes to; it never rejects. */
async function outcomeOfIssue(issuing: Promise<IssuedToken>): Promise<TokenOutcome> {
  try {
    const issued = await issuing
    const { embedToken, expiresInSeconds, isPaginated = false } = issued
    if (!embedToken) return { kind: 'failed', detail: NO_TOKEN }
    return { kind: 'issued', value: embedToken, lifeMs: expiresInSeconds * 1_000, isPaginated }
  } catch (error) {
    return outcomeOf(error)
  }
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
    timeoutMs: TIMEOUT_MS,
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

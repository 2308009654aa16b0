import { useEffect, useState, useSyncExternalStore } from 'react'
import { reportMessages } from '#contract/messages.ts'
import type { ProblemCode } from '#contract/problem.ts'
import type { OwnReports } from '#contract/reports.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { getSession } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import { createTokenBook, type TokenBook, type TokenOutcome, type TokenRequest } from './embed/token-book.ts'
import { ownReportsQuery, type ReportTab } from './own-reports.ts'

/** The tokens of one person's reports, kept renewed for as long as the component is mounted. */
export function useTokenBook(userId: string) {
  const [book] = useState(() =>
    createTokenBook({
      issue: (request, signal) => issueEmbedToken(request, scopeNow(), signal),
      onFailed: (area, description) =>
        showToast({ kind: 'error', title: reportMessages.tokenFailed(area), description }),
      onRefused: () => void queryClient.invalidateQueries(ownReportsQuery(userId)),
    }),
  )
  const tokens = useSyncExternalStore(book.subscribe, book.read)

  function scopeNow(): Pick<OwnReports, 'marcas' | 'estados'> {
    return queryClient.getQueryData(ownReportsQuery(userId).queryKey) ?? { marcas: [], estados: [] }
  }

  useEffect(() => {
    const stopWatching = watchClock(book.tick, book.wake)
    return () => {
      stopWatching()
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
    if (selectedKey !== undefined) book.want(selectedKey)
  }, [book, tabs, selectedKey])
}

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

/** Asks for the embed token of one report. Never rejects. */
export async function issueEmbedToken(
  { workspaceId, reportId, datasetId }: TokenRequest,
  { marcas, estados }: TokenScope,
  signal: AbortSignal,
): Promise<TokenOutcome> {
  const userEmail = getSession()?.user.email
  const body = { workspaceId, reportId, datasetId, marcas, estados, ...(userEmail && { userEmail }) }
  try {
    const input = { body, signal, timeoutMs: TIMEOUT_MS }
    const { embedToken, expiresInSeconds } = await callApi('POST /api/functions/get-powerbi-token', input)
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

const TICK_MS = 1_000
/** Hidden pages tick once a minute at the slowest; a longer pause means that the machine slept. */
const SLEEP_MS = 90_000

/**
 * Calls onTick every second, and onWake whenever the machine may have slept or lost its connection:
 * the page becomes visible or is thawed, the network is back, or the wall clock has jumped.
 * @returns a function that ends it
 */
export function watchClock(onTick: () => void, onWake: () => void): () => void {
  const ending = new AbortController()
  let lastTick = Date.now()
  const timer = setInterval(() => {
    const hasSlept = Date.now() - lastTick > SLEEP_MS
    lastTick = Date.now()
    if (hasSlept) onWake()
    else onTick()
  }, TICK_MS)
  const onVisible = () => document.visibilityState === 'visible' && onWake()
  document.addEventListener('visibilitychange', onVisible, { signal: ending.signal })
  window.addEventListener('pageshow', onWake, { signal: ending.signal })
  window.addEventListener('online', onWake, { signal: ending.signal })
  return () => {
    clearInterval(timer)
    ending.abort()
  }
}

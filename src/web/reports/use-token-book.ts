import { useEffect, useState } from 'react'
import { reportMessages } from '#contract/messages.ts'
import { queryClient } from '#web/http/query-client.ts'
import { showToast } from '#web/ui/toast.tsx'
import { issueEmbedToken } from './embed/issue-embed-token.ts'
import {
  createTokenBook,
  type TokenBook,
  type TokenBookOptions,
  type TokenState,
} from './embed/token-book.ts'
import { ownReportsQuery, type ReportTab } from './own-reports.ts'

const TICK_MS = 1_000

/** Keeps the tokens of the user's own reports renewed while the component is mounted. */
export const useTokenBook = (userId: string) =>
  useTokensFrom(
    (request, signal) => issueEmbedToken(request, scopeOf(userId), signal),
    () => queryClient.invalidateQueries(ownReportsQuery(userId)),
  )

const scopeOf = (userId: string) =>
  queryClient.getQueryData(ownReportsQuery(userId).queryKey) ?? { marcas: [], estados: [] }

/** The same for any source of tokens; only the initial functions are used. */
export function useTokensFrom(issue: TokenBookOptions['issue'], onRefused: TokenBookOptions['onRefused']) {
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

/** Requests the tokens of these tabs, the selected one first, and again when stale. */
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

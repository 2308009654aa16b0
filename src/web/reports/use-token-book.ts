import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { reportMessages } from '#contract/messages.ts'
import type { OwnReports } from '#contract/reports.ts'
import { showToast } from '#web/ui/toast.tsx'
import { issueEmbedToken } from './embed/issue-embed-token.ts'
import { createTokenBook, type TokenBook } from './embed/token-book.ts'
import { watchClock } from './embed/watch-clock.ts'
import { ownReportsQuery } from './own-reports.ts'
import type { ReportTab } from './report-tab.ts'

/** The tokens of one person's reports, kept renewed for as long as the component is mounted. */
export function useTokenBook(userId: string) {
  const queryClient = useQueryClient()
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

import { useEffect, useState } from 'react'
import { reportMessages } from '#contract/messages.ts'
import { queryClient } from '#web/http/query-client.ts'
import { showToast } from '#web/ui/toast.tsx'
import {
  createEmbedTokenStore,
  type EmbedTokenStore,
  type TokenState,
  type TokenStoreOptions,
} from './embed/embed-token-store.ts'
import { issueEmbedToken } from './embed/issue-embed-token.ts'
import { ownReportsQuery, type ReportTab } from './own-reports.ts'

const TICK_MS = 1_000

/** Keeps the tokens of the user's own reports renewed while the component is mounted. */
export const useOwnEmbedTokens = (userId: string) =>
  useEmbedTokens(
    (request, signal) => issueEmbedToken(request, getScope(userId), signal),
    () => queryClient.invalidateQueries(ownReportsQuery(userId)),
  )

const getScope = (userId: string) =>
  queryClient.getQueryData(ownReportsQuery(userId).queryKey) ?? { marcas: [], estados: [] }

/** The same for any source of tokens; only the initial functions are used. */
export function useEmbedTokens(issue: TokenStoreOptions['issue'], onRefused: TokenStoreOptions['onRefused']) {
  const [tokens, setTokens] = useState<ReadonlyMap<string, TokenState>>(new Map())
  const [store] = useState(() =>
    createEmbedTokenStore({
      issue,
      onChange: setTokens,
      onFailed: (area, description) =>
        showToast({ kind: 'error', title: reportMessages.tokenFailed(area), description }),
      onRefused,
    }),
  )

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const timer = setInterval(store.tick, TICK_MS)
    const onVisible = () => document.visibilityState === 'visible' && store.wake()
    document.addEventListener('visibilitychange', onVisible, { signal })
    window.addEventListener('pageshow', store.wake, { signal })
    window.addEventListener('online', store.wake, { signal })
    return () => {
      clearInterval(timer)
      controller.abort()
      store.close()
    }
  }, [store])

  return { store, tokens }
}

/** Requests the tokens of these tabs, the selected one first, and again when stale. */
export function useTokenSync(
  store: EmbedTokenStore,
  tabs: readonly ReportTab[],
  selectedKey: string | undefined,
): void {
  useEffect(() => {
    const requests = tabs.flatMap((tab) => (tab.kind === 'embedded' ? [tab.request] : []))
    store.sync(requests, selectedKey)
  }, [store, tabs, selectedKey])
}

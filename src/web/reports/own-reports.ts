import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { reportMessages } from '#contract/messages.ts'
import type { OwnReports, ReportArea } from '#contract/reports.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { ApiError, NetworkError } from '#web/http/send-request.ts'
import { onAuthStateChange } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { TokenRequest } from './embed/embed-token-store.ts'

/** A tab of the reports screen; its key changes with everything that requires a new frame. */
export type ReportTab = { key: string; area: string } & (
  | { kind: 'no-scope' }
  | { kind: 'shared'; reportUrl: string }
  | { kind: 'embedded'; request: TokenRequest }
)

/**
 * Converts areas to tabs in the given order; areas with an incomplete setting get none and are listed.
 * Without marcas or estados a tab stays, but shows nothing.
 */
export function toTabs({ areas, marcas, estados }: OwnReports): { tabs: ReportTab[]; incomplete: string[] } {
  const hasScope = marcas.length > 0 && estados.length > 0
  const all = areas.map((area) => ({
    area: area.type,
    // Switching exports on or off needs no new frame.
    tab: toTab(area, JSON.stringify([{ ...area, canExport: undefined }, marcas, estados]), hasScope),
  }))
  return {
    tabs: all.flatMap(({ tab }) => tab ?? []),
    incomplete: all.flatMap(({ area, tab }) => (tab ? [] : area)),
  }
}

function toTab(area: ReportArea, key: string, hasScope: boolean): ReportTab | undefined {
  const { embedMode, workspaceId, reportId, datasetId, reportUrl } = area
  const tab = { key, area: area.type }
  if (embedMode === 'service_principal') {
    if (!workspaceId || !reportId) return undefined
    if (hasScope) return { ...tab, kind: 'embedded', request: { ...tab, workspaceId, reportId, datasetId } }
  } else if (hasScope) return reportUrl ? { ...tab, kind: 'shared', reportUrl } : undefined
  // Without scope the server omits the URL.
  return { ...tab, kind: 'no-scope' }
}

const RETRY_INTERVAL_MS = 15_000
/** Polling interval for a person who waits for approval, while the page is visible. */
const APPROVAL_POLL_MS = 20_000

export function ownReportsQuery(userId: string) {
  return queryOptions({
    queryKey: ['own-reports', userId],
    queryFn: ({ signal }) => callApi('GET /api/reports/me', { signal }).catch(toUnapproved),
    retry: (failures, error) => failures < 1 && error instanceof NetworkError,
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data } }) => (data ? !data.approved && APPROVAL_POLL_MS : RETRY_INTERVAL_MS),
  })
}

/** Treats a refusal of the server as a missing approval. */
function toUnapproved(error: unknown): OwnReports {
  if (!(error instanceof ApiError && [401, 403].includes(error.status))) throw error
  return { approved: false, endedOn: null, emailVerified: true, areas: [], marcas: [], estados: [] }
}

/** Switching between page and report fires focus events; refetching this often is enough. */
const FOCUS_THROTTLE_MS = 5_000

/**
 * Loads the user's approval and reports in one request, and keeps them when the connection is lost.
 * A refusal counts as a missing approval (pending screen); other failures show a toast and the
 * no-reports screen, and are retried automatically.
 */
export function useOwnReports(userId: string) {
  const { data, errorUpdateCount, isFetching, refetch } = useQuery(ownReportsQuery(userId))
  const hasFailed = !data && errorUpdateCount > 0

  useEffect(() => {
    const { queryKey } = ownReportsQuery(userId)
    const refetchReports = () => void queryClient.refetchQueries({ queryKey }, { cancelRefetch: false })
    const onFocus = () => {
      const updatedAt = queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? 0
      if (Date.now() - updatedAt > FOCUS_THROTTLE_MS) refetchReports()
    }
    window.addEventListener('focus', onFocus)
    const unsubscribe = onAuthStateChange((event) => event !== 'SIGNED_OUT' && refetchReports())
    return () => {
      window.removeEventListener('focus', onFocus)
      unsubscribe()
    }
  }, [userId])

  useEffect(() => {
    if (hasFailed) showFailure()
  }, [hasFailed])

  const retry = () => void refetch().then((result) => result.isError && showFailure())
  return { reports: data, hasFailed, isRetrying: isFetching, retry, refetch }
}

function showFailure(): void {
  showToast({ kind: 'error', title: reportMessages.settingsFailed })
}

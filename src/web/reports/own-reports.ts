import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { formatReportTitle, reportMessages } from '#contract/messages.ts'
import type { AreaReport, OwnReports } from '#contract/reports.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { ApiError, NetworkError } from '#web/http/send-request.ts'
import { onAuthStateChange } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { TokenRequest } from './embed/embed-token-store.ts'

/** A report on the reports screen; its key changes with everything that requires a new frame. */
export type ReportTab = {
  key: string
  area: string
  id: string
  /** Whether it is the area's first, which the address does not name. */
  isFirst: boolean
  /** Among the reports of its area. */
  name: string
  /** 'Vendas', or a further one of the area 'Vendas · Metas'. */
  title: string
  canExport: boolean
  /** The saved view that opens it, if any. */
  firstViewId?: string | undefined
} & (
  | { kind: 'no-scope' }
  | { kind: 'shared'; reportUrl: string }
  | { kind: 'embedded'; request: TokenRequest }
)

/**
 * Converts the reports of areas in the given order; those with an incomplete setting are only listed.
 * Without marcas or estados a tab stays, but shows nothing.
 */
export function toTabs({ areas, marcas, estados }: OwnReports): { tabs: ReportTab[]; incomplete: string[] } {
  const hasScope = marcas.length > 0 && estados.length > 0
  const tabs: ReportTab[] = []
  const incomplete: string[] = []
  for (const { type: area, reports, ...first } of areas)
    for (const [index, report] of (
      reports ?? [{ ...first, id: area, name: area, firstViewId: undefined }]
    ).entries()) {
      const { id, name, canExport, firstViewId, ...setting } = report
      const title = formatReportTitle(area, name)
      // Neither a new name nor what may be exported or opens first needs a new frame.
      const key = JSON.stringify([area, id, setting, marcas, estados])
      const kind = toKind(report, { key, area, title }, hasScope)
      const tab = { key, area, id, isFirst: index === 0, name, title, canExport, firstViewId }
      if (kind) tabs.push({ ...tab, ...kind })
      else incomplete.push(title)
    }
  return { tabs, incomplete }
}

function toKind(
  { embedMode, workspaceId, reportId, datasetId, pageName, bookmarkName, reportUrl }: AreaReport,
  tab: Pick<TokenRequest, 'key' | 'area' | 'title'>,
  hasScope: boolean,
) {
  if (embedMode === 'service_principal') {
    if (!workspaceId || !reportId) return undefined
    const request = { ...tab, workspaceId, reportId, datasetId, pageName, bookmarkName }
    if (hasScope) return { kind: 'embedded', request } as const
  } else if (hasScope) return reportUrl ? ({ kind: 'shared', reportUrl } as const) : undefined
  // Without scope the server omits the URL.
  return { kind: 'no-scope' } as const
}

/** The search of /power-bi. */
export interface ReportSearch {
  area?: string
  relatorio?: string
  visao?: string
}

/** Returns the tab of an address: the named report, else the first of the area, else the first. */
export function findTab(
  tabs: readonly ReportTab[],
  { area, relatorio }: ReportSearch,
): ReportTab | undefined {
  const inArea = tabs.filter((tab) => tab.area === area)
  return inArea.find(({ id }) => id === relatorio) ?? inArea[0] ?? tabs[0]
}

/** Returns the address of a report, and of a saved view in it. */
export function toReportSearch({ area, id, isFirst }: ReportTab, visao?: string) {
  return { area, ...(!isFirst && { relatorio: id }), ...(visao && { visao }) }
}

const RETRY_INTERVAL_MS = 15_000

export function ownReportsQuery(userId: string) {
  return queryOptions({
    queryKey: ['own-reports', userId],
    queryFn: ({ signal }) => callApi('GET /api/reports/me', { signal }).catch(toUnapproved),
    retry: (failures, error) => failures < 1 && error instanceof NetworkError,
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data } }) => !data && RETRY_INTERVAL_MS,
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

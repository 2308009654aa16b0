import { queryOptions } from '@tanstack/react-query'
import { preconnect } from 'react-dom'
import { reportRoutes } from '#contract/reports.ts'
import { callApi } from '#web/http/api.ts'
import { ApiError, NetworkError } from '#web/http/api-error.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { queryClient } from '#web/http/query-client.ts'
import { getSession } from '#web/session/session.ts'
import { loadPowerBi } from './embed/powerbi-client.ts'

const RETRY_EVERY_MS = 15_000

/** What the reports screen of a person shows; read again by itself for as long as it could not be read at all. */
export function ownReportsQuery(userId: string) {
  return queryOptions({
    queryKey: ['own-reports', userId],
    queryFn: ({ signal }) => callApi(reportRoutes.readOwnReports, { signal }),
    retry: (failures, error) => failures < 1 && error instanceof NetworkError,
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) => (state.data || isRefusal(state.error) ? false : RETRY_EVERY_MS),
  })
}

/** Whether the server said that this person may not, which no second try will change. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && [401, 403].includes(error.status)
}

/** Starts everything that the reports screen will need: its settings, powerbi-client, the way to the report host. */
export function prefetchOwnReports(): void {
  loadPowerBi().catch(() => {})
  if (portalSettings.reportEmbedBase.startsWith('https:')) preconnect(portalSettings.reportEmbedBase)
  const userId = getSession()?.user.id
  if (userId !== undefined) void queryClient.prefetchQuery(ownReportsQuery(userId))
}

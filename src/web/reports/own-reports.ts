import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { reportMessages } from '#contract/messages.ts'
import type { OwnReports } from '#contract/reports.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { ApiError, NetworkError } from '#web/http/send-request.ts'
import { onAuthStateChange } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import { recallReport, takeReportsAhead } from './last-report.ts'

const RETRY_EVERY_MS = 15_000
/** How often somebody who waits for approval is looked after, while the page is seen. */
const WAITING_EVERY_MS = 20_000

export function ownReportsQuery(userId: string) {
  return queryOptions({
    queryKey: ['own-reports', userId],
    queryFn: ({ signal }) =>
      (takeReportsAhead(userId) ?? callApi('GET /api/reports/me', { signal })).catch(asWaiting),
    retry: (failures, error) => failures < 1 && error instanceof NetworkError,
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data } }) => (data ? !data.approved && WAITING_EVERY_MS : RETRY_EVERY_MS),
  })
}

/** The server said that this person may not: the failed approval check, which counts as waiting for it. */
function asWaiting(error: unknown): OwnReports {
  if (!(error instanceof ApiError && [401, 403].includes(error.status))) throw error
  return { approved: false, endedOn: null, emailVerified: true, areas: [], marcas: [], estados: [] }
}

/** Going back and forth between page and report moves the focus too; this often is often enough. */
const FOCUS_REST_MS = 5_000

type OwnReportsView =
  | { kind: 'loading' }
  | { kind: 'failed'; isRetrying: boolean; retry: () => void }
  /** Waits for the approval, or had one until `endedOn`. */
  | {
      kind: 'pending'
      emailVerified: boolean
      endedOn: string | undefined
      lookAgain: () => Promise<{ isApproved: boolean }>
    }
  /** `isAhead` while only this browser's memory says so. */
  | { kind: 'approved'; emailVerified: boolean; reports: OwnReports; isAhead: boolean }

/**
 * What the reports screen of this person is to show. Approval and settings come with one
 * call, but the failure of each is answered differently: a refusal counts as the failed approval check (pending
 * screen), anything else that fails as settings that could not be loaded (toast and no-reports screen, tried again
 * by itself). Once read, they hold until the server says otherwise, so a lost
 * connection takes nobody's report away.
 */
export function useOwnReports(userId: string): OwnReportsView {
  const { data, errorUpdateCount, isFetching, refetch } = useQuery(ownReportsQuery(userId))
  const hasFailed = !data && errorUpdateCount > 0
  const { area } = useSearch({ strict: false }) as { area?: string }
  const [remembered] = useState(() => recallReport(userId, area))

  useEffect(() => {
    const { queryKey } = ownReportsQuery(userId)
    const readAgain = () => void queryClient.refetchQueries({ queryKey }, { cancelRefetch: false })
    const onFocus = () => {
      const readAt = queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? 0
      if (Date.now() - readAt > FOCUS_REST_MS) readAgain()
    }
    window.addEventListener('focus', onFocus)
    const stopFollowing = onAuthStateChange((event) => event !== 'SIGNED_OUT' && readAgain())
    return () => {
      window.removeEventListener('focus', onFocus)
      stopFollowing()
    }
  }, [userId])

  useEffect(() => {
    if (hasFailed) toastFailure()
  }, [hasFailed])

  async function lookAgain() {
    const result = await refetch({ throwOnError: true })
    return { isApproved: result.data?.approved ?? false }
  }
  if (data && (data.endedOn || !data.approved))
    return {
      kind: 'pending',
      emailVerified: data.emailVerified,
      endedOn: data.endedOn ?? undefined,
      lookAgain,
    }
  const reports = data ?? (hasFailed ? undefined : remembered)
  if (reports) return { kind: 'approved', emailVerified: reports.emailVerified, reports, isAhead: !data }
  if (!hasFailed) return { kind: 'loading' }
  const retry = () => void refetch().then((result) => result.isError && toastFailure())
  return { kind: 'failed', isRetrying: isFetching, retry }
}

function toastFailure(): void {
  showToast({ kind: 'error', title: reportMessages.settingsFailed })
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { reportMessages } from '#contract/messages.ts'
import type { OwnReports } from '#contract/reports.ts'
import { onAuthStateChange } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import { isRefusal, ownReportsQuery } from './own-reports.ts'

/** Going back and forth between page and report moves the focus too; this often is often enough. */
const FOCUS_REST_MS = 5_000

export type OwnReportsView =
  | { kind: 'loading' }
  | { kind: 'failed'; isRetrying: boolean; retry: () => void }
  | { kind: 'pending'; emailVerified: boolean }
  | { kind: 'approved'; emailVerified: boolean; reports: OwnReports }

/**
 * What the reports screen of this person is to show (SPEC section 4). Approval and settings come with one
 * call, and the specification answers differently to the failure of each: here a refusal counts as the failed
 * approval check (pending screen), anything else that fails as settings that could not be loaded (toast and
 * no-reports screen, tried again by itself). Once read, they hold until the server says otherwise, so a lost
 * connection takes nobody's report away.
 */
export function useOwnReports(userId: string): OwnReportsView {
  const queryClient = useQueryClient()
  const { data, error, errorUpdateCount, isFetching, refetch } = useQuery(ownReportsQuery(userId))
  const hasFailed = !data && errorUpdateCount > 0 && !isRefusal(error)

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
  }, [queryClient, userId])

  useEffect(() => {
    if (hasFailed) toastFailure()
  }, [hasFailed])

  if (isRefusal(error)) return { kind: 'pending', emailVerified: true }
  if (data && !data.approved) return { kind: 'pending', emailVerified: data.emailVerified }
  if (data) return { kind: 'approved', emailVerified: data.emailVerified, reports: data }
  if (!hasFailed) return { kind: 'loading' }
  const retry = () => void refetch().then((result) => result.isError && toastFailure())
  return { kind: 'failed', isRetrying: isFetching, retry }
}

function toastFailure(): void {
  showToast({ kind: 'error', title: reportMessages.settingsFailed })
}

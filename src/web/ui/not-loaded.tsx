import type { UseQueryResult } from '@tanstack/react-query'
import { FailedLoad } from './alert.tsx'
import { Skeleton } from './loading.tsx'

interface NotLoadedProps {
  query: Pick<UseQueryResult, 'errorUpdateCount' | 'isFetching' | 'refetch'>
  /** The text shown when loading fails. */
  failed: string
  /** Classes that reserve its height while loading. */
  skeleton: string
}

/** Replaces content that has not loaded yet: a skeleton, after a failure a button to retry. */
export function NotLoaded({ query, failed, skeleton }: NotLoadedProps) {
  // A retry after a failure is no success yet.
  if (query.errorUpdateCount === 0) return <Skeleton className={skeleton} />
  return (
    <FailedLoad isRetrying={query.isFetching} onRetry={() => void query.refetch()}>
      {failed}
    </FailedLoad>
  )
}

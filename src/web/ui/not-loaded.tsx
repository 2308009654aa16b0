import type { UseQueryResult } from '@tanstack/react-query'
import { FailedLoad } from './alert.tsx'
import { Skeleton } from './loading.tsx'

interface NotLoadedProps {
  query: Pick<UseQueryResult, 'errorUpdateCount' | 'isFetching' | 'refetch'>
  /** What is said where it could not be read. */
  failed: string
  /** Classes that give it its height until then. */
  skeleton: string
}

/** Stands in for what a query has not read yet, or offers to try again. */
export function NotLoaded({ query, failed, skeleton }: NotLoadedProps) {
  // An attempt that follows a failed one is no success yet.
  if (query.errorUpdateCount === 0) return <Skeleton className={skeleton} />
  return (
    <FailedLoad isRetrying={query.isFetching} onRetry={() => void query.refetch()}>
      {failed}
    </FailedLoad>
  )
}

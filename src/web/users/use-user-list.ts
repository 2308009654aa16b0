import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { adminMessages, type ManagedProfile, type ProfileFilter } from '#contract/users.ts'
import { ApiError } from '#web/http/api-error.ts'
import { showToast } from '#web/ui/toast.tsx'
import {
  EVERYBODY,
  type ProfileOrder,
  profileCountQuery,
  profileListQuery,
  refreshAndKeepFocus,
} from './user-queries.ts'

/** The people who match, as far as they have been read, and how many there are. */
export function useProfileList(filter: ProfileFilter, order: ProfileOrder) {
  const list = useInfiniteQuery(profileListQuery(filter, order))
  const matching = useQuery(profileCountQuery(filter))
  const everybody = useQuery(profileCountQuery(EVERYBODY))
  const { data, error, isFetching, isPlaceholderData, hasNextPage, fetchNextPage } = list
  const profiles = useMemo(() => uniqueProfiles(data?.pages ?? []), [data])
  useFailureToast(error)
  useFailureToast(matching.error)
  useFailureToast(everybody.error)

  const isBroken = list.isFetchNextPageError
  const canReadOn = hasNextPage && !isFetching && !isPlaceholderData && !isBroken
  const readOn = useCallback(() => {
    if (canReadOn) void fetchNextPage()
  }, [canReadOn, fetchNextPage])
  return {
    profiles,
    /** Undefined until it has been read for this filter. */
    total: matching.isPlaceholderData ? undefined : matching.data?.total,
    everybody: everybody.data?.total,
    /** Each count tells; the later one is right. */
    pending: (matching.dataUpdatedAt > everybody.dataUpdatedAt ? matching : everybody).data?.pending,
    isLoading: list.isPending,
    hasFailed: list.isError && !data,
    /** The rows are those of the last filter or order, until the new ones are there. */
    isOutdated: isPlaceholderData,
    isFetching,
    hasMore: hasNextPage,
    /** Nobody else matches, as far as is known now. */
    isWhole: list.isSuccess && !isPlaceholderData && !isFetching && !hasNextPage,
    isBroken,
    /** How many there are could not be read, or is just being tried again. */
    isCountBroken: hasBroken(matching) || hasBroken(everybody),
    isCounting: matching.isFetching || everybody.isFetching,
    readOn,
    retry: () => void (isBroken ? fetchNextPage() : refreshAndKeepFocus()),
    retryCount: () => void refreshAndKeepFocus(),
  }
}

/** An attempt that follows a failed one is no success yet. */
function hasBroken({ isError, isPending, isPlaceholderData, errorUpdateCount }: UseQueryResult): boolean {
  return isError || (errorUpdateCount > 0 && (isPending || isPlaceholderData))
}

/** Somebody whose place changed between two pages comes twice; the first time counts. */
function uniqueProfiles(pages: readonly { items: ManagedProfile[] }[]): ManagedProfile[] {
  const seen = new Set<string>()
  return pages.flatMap(({ items }) => items.filter(({ user_id }) => !seen.has(user_id) && seen.add(user_id)))
}

/** A refusal is answered elsewhere: whoever is no administrator any more leaves the screen. */
function useFailureToast(error: Error | null): void {
  useEffect(() => {
    if (!error || (error instanceof ApiError && [401, 403].includes(error.status))) return
    showToast({ kind: 'error', title: adminMessages.loadFailed, description: error.message })
  }, [error])
}

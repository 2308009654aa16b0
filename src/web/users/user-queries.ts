import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type Query,
  queryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { ReplyNamed } from '#contract/index.ts'
import { adminMessages, MAX_IDS, type ProfileSort } from '#contract/user-rules.ts'
import type { ManagedProfile, ProfileFilter } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { queryClient, READ_ONCE, USERS_QUERY } from '#web/http/query-client.ts'
import { ApiError, isGone } from '#web/http/send-request.ts'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { NO_FILTER, profileCountQuery, tasksQuery } from './count-query.ts'

export interface ProfileOrder {
  sort: ProfileSort
  order: 'asc' | 'desc'
}
type ProfilePage = ReplyNamed<'GET /api/profiles'>

const PAGE_SIZE = 100
/** Refetching more pages on window focus would be too expensive. */
const MAX_PAGES_ON_FOCUS = 10
/** How many waiting people are shown at first, and how many more each time. */
export const FIRST_WAITING = 5
export const MORE_WAITING = 50

const keys = { all: [USERS_QUERY], lists: [USERS_QUERY, 'list'] }

/** Lists the people who match, paginated; the previous rows stay until the new ones arrive. */
function profileListQuery(filter: ProfileFilter, order: ProfileOrder) {
  return infiniteQueryOptions({
    queryKey: [...keys.lists, filter, order],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        ...filter,
        ...order,
        limit: PAGE_SIZE,
        ...(pageParam && { cursor: pageParam }),
      }
      const startedAt = Date.now()
      const page = await callApi('GET /api/profiles', { query, signal })
      if (!pageParam) refetchStaleCounts([filter, NO_FILTER], startedAt)
      return page
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= MAX_PAGES_ON_FOCUS,
  })
}

/**
 * Refetches counts older than the rows, which would contradict them. Skips counts in flight or just
 * failed, which have a retry button. Runs after the rows, which have priority.
 */
function refetchStaleCounts(filters: readonly ProfileFilter[], since: number): void {
  const predicate = ({ state }: Pick<Query, 'state'>) =>
    Math.max(state.dataUpdatedAt, state.errorUpdatedAt) < since
  for (const filter of filters) {
    const { queryKey } = profileCountQuery(filter)
    void queryClient.refetchQueries(
      { queryKey, exact: true, type: 'active', predicate },
      { cancelRefetch: false },
    )
  }
}

/** Reads one person for a dialog. */
export function profileQuery(userId: string) {
  return queryOptions({
    queryKey: ['profile-in-dialog', userId],
    queryFn: ({ signal }) => callApi('GET /api/profiles/{userId}', { params: { userId }, signal }),
    ...READ_ONCE,
  })
}

/** Reads one person for as long as they are shown. */
export function personQuery(userId: string) {
  return queryOptions({
    queryKey: [USERS_QUERY, 'one', userId],
    queryFn: ({ signal }) => callApi('GET /api/profiles/{userId}', { params: { userId }, signal }),
    retry: (count, error) => count < 2 && !isGone(error),
  })
}

/** Reads everyone who matches, in the largest pages the server allows. */
export async function readAllMatching(
  filter: ProfileFilter,
  order: ProfileOrder,
  signal?: AbortSignal,
): Promise<ManagedProfile[]> {
  const found: ManagedProfile[] = []
  let cursor: string | null | undefined
  do {
    const query = { ...filter, ...order, limit: MAX_IDS, ...(cursor && { cursor }) }
    const page = await callApi('GET /api/profiles', { query, signal })
    found.push(...page.items)
    cursor = page.next
  } while (cursor)
  return found
}

export interface WaitingPeople {
  people: ManagedProfile[]
  hasMore: boolean
}

/**
 * Lists the people who wait for approval: the verified first, whose identity is known, then newest.
 * @param shown how many are shown
 */
export function waitingQuery(shown: number) {
  return queryOptions({
    queryKey: [USERS_QUERY, 'waiting', shown],
    queryFn: async ({ signal }): Promise<WaitingPeople> => {
      const read = (verified: boolean) => {
        const query = {
          waiting: true,
          verified,
          sort: 'created_at',
          order: 'desc',
          limit: Math.min(shown, MAX_IDS),
        } as const
        return callApi('GET /api/profiles', { query, signal })
      }
      const [verified, unverified] = await Promise.all([read(true), read(false)])
      // Unverified people must never precede a verified person on a later page.
      const people = verified.next ? verified.items : [...verified.items, ...unverified.items]
      return { people, hasMore: verified.next !== null || unverified.next !== null }
    },
    placeholderData: keepPreviousData,
  })
}

/** Reads since when the person waits who waits longest; null when nobody does. */
export const oldestWaitingQuery = queryOptions({
  queryKey: [USERS_QUERY, 'oldest-waiting'],
  queryFn: async ({ signal }) => {
    const query = { waiting: true, sort: 'created_at', order: 'asc', limit: 1 } as const
    return (await callApi('GET /api/profiles', { query, signal })).items[0]?.created_at ?? null
  },
})

/** Lists the approved people who ask for more, the oldest request first. */
export const requestsQuery = queryOptions({
  queryKey: [USERS_QUERY, 'requests'],
  queryFn: async ({ signal }) => {
    const query = { requesting: true, limit: MAX_IDS } as const
    const { items } = await callApi('GET /api/profiles', { query, signal })
    const asked = items.flatMap((person) => (person.request ? [{ person, request: person.request }] : []))
    return asked.sort((one, other) => one.request.requested_at.localeCompare(other.request.requested_at))
  },
})

/** Prefetches a list before its screen renders; fresh data is not refetched. */
export function prefetchUserList(filter: ProfileFilter, order: ProfileOrder): void {
  void queryClient.prefetchInfiniteQuery(profileListQuery(filter, order))
  void queryClient.prefetchQuery(profileCountQuery(filter))
}

export type UserList = ReturnType<typeof useUserList>

/**
 * Loads the people who match, page by page, and counts them.
 * @param isEnabled false until the catalogue needed by the filter is known
 */
export function useUserList(filter: ProfileFilter, order: ProfileOrder, isEnabled: boolean) {
  const list = useInfiniteQuery({ ...profileListQuery(filter, order), enabled: isEnabled })
  const matching = useQuery({ ...profileCountQuery(filter), enabled: isEnabled })
  const unfiltered = useQuery(profileCountQuery(NO_FILTER))
  const { isFetching, isPlaceholderData, hasNextPage, fetchNextPage } = list
  // Rows name what people have in its words, and would change height when it comes.
  const catalogue = useQuery(catalogueQuery)
  const isWaiting = catalogue.isPending && catalogue.failureCount === 0
  const data = isWaiting ? undefined : list.data
  const profiles = useMemo(() => dedupeProfiles(data?.pages ?? []), [data])
  useFailureToast(list.error ?? matching.error ?? unfiltered.error, adminMessages.loadFailed)

  const isNextPageFailed = list.isFetchNextPageError
  const canLoadMore = hasNextPage && !isFetching && !isPlaceholderData && !isNextPageFailed
  return {
    profiles,
    /** Undefined until loaded for this filter. */
    totalCount: matching.isPlaceholderData ? undefined : matching.data?.total,
    unfilteredCount: unfiltered.data?.total,
    /** Both counts include it; the more recent one is right. */
    pendingCount: (matching.dataUpdatedAt > unfiltered.dataUpdatedAt ? matching : unfiltered).data?.pending,
    isLoading: list.isPending || isWaiting,
    hasFailed: isFailing(list) && !list.data,
    /** The rows belong to the previous filter or order until the new ones arrive. */
    isOutdated: isPlaceholderData,
    isFetching,
    hasMore: hasNextPage,
    /** All pages are loaded. */
    isComplete: list.isSuccess && !isPlaceholderData && !hasNextPage,
    /** The next page failed to load. */
    isNextPageFailed,
    /** A count failed to load, or is being retried. */
    isCountFailed: isFailing(matching) || isFailing(unfiltered),
    isCounting: matching.isFetching || unfiltered.isFetching,
    /** Loads the next page; undefined while that is not possible. */
    loadMore: canLoadMore ? () => void fetchNextPage() : undefined,
    retry: () => void (isNextPageFailed ? fetchNextPage() : refreshUsers()),
  }
}

type Attempts = Pick<UseQueryResult, 'isError' | 'isPending' | 'isPlaceholderData' | 'errorUpdateCount'>

/** A retry in progress still counts as failed. */
function isFailing({ isError, isPending, isPlaceholderData, errorUpdateCount }: Attempts): boolean {
  return isError || (errorUpdateCount > 0 && (isPending || isPlaceholderData))
}

/** Drops duplicates: a person may move from one page to the next between two requests. */
function dedupeProfiles(pages: readonly { items: ManagedProfile[] }[]): ManagedProfile[] {
  const seen = new Set<string>()
  return pages.flatMap(({ items }) => items.filter(({ user_id }) => !seen.has(user_id) && seen.add(user_id)))
}

/** Skips 401 and 403: losing the session or the role leaves the screen elsewhere. */
export function useFailureToast(error: Error | null, title: string): void {
  useEffect(() => {
    if (!error || (error instanceof ApiError && [401, 403].includes(error.status))) return
    showToast(toFailureToast(title, error))
  }, [error, title])
}

/** Replaces a person in every cached list, to update optimistically or to roll back. */
export function patchCachedProfile(profile: ManagedProfile): void {
  const patch = (cached: ManagedProfile) => (cached.user_id === profile.user_id ? profile : cached)
  const patchPage = (page: ProfilePage) => ({ ...page, items: page.items.map(patch) })
  queryClient.setQueriesData<InfiniteData<ProfilePage>>(
    { queryKey: keys.lists },
    (data) => data && { ...data, pages: data.pages.map(patchPage) },
  )
}

/** Refetches lists and counts after a change, and restores a focus lost with a removed row or button. */
export async function refreshUsers(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keys.all })
  await restoreFocus()
}

/** Refetched with the users: accepting an invitation removes it from this list. */
export const INVITATIONS_QUERY = [USERS_QUERY, 'invitations']

export async function refreshInvitations(): Promise<void> {
  void queryClient.invalidateQueries(tasksQuery)
  // Whoever is invited over an account no longer waits.
  void refreshUsers()
  await queryClient.invalidateQueries({ queryKey: INVITATIONS_QUERY })
}

/** Focuses the card if the focused element was removed, so that the keyboard stays in place. */
export async function restoreFocus(): Promise<void> {
  // Two frames later the rows have been rendered.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  if (document.activeElement === document.body)
    document.getElementById('usuarios')?.focus({ preventScroll: true })
}

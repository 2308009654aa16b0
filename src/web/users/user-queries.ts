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
import { queryClient, READ_ONCE, USERS_QUERY } from '#web/http/query-client.ts'
import { ApiError } from '#web/http/send-request.ts'
import { showToast } from '#web/ui/toast.tsx'
import { failureNotice } from '#web/ui/use-submit.ts'
import { COUNTS, NO_FILTER, profileCountQuery } from './count-query.ts'

export interface ProfileOrder {
  sort: ProfileSort
  order: 'asc' | 'desc'
}
type ProfilePage = ReplyNamed<'GET /api/profiles'>

const PAGE_SIZE = 100
/** Reading so many pages again only because the window has the focus would be a burden. */
const MAX_PAGES_ON_FOCUS = 10
/** So many of those who wait are shown at first, and so many more each time. */
export const FIRST_WAITING = 5
export const MORE_WAITING = 50

const keys = { all: [USERS_QUERY], lists: [USERS_QUERY, 'list'] }

/** The people who match, page after page; the rows of the last filter or order stay until the new ones are there. */
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
      if (!pageParam) countAgain(startedAt)
      return page
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= MAX_PAGES_ON_FOCUS,
  })
}

/**
 * A count older than the rows would contradict them; one that is on its way serves, and one that has just failed is left
 * to its button. The rows come first: they are waited for.
 */
function countAgain(since: number): void {
  const predicate = ({ state }: Pick<Query, 'state'>) =>
    Math.max(state.dataUpdatedAt, state.errorUpdatedAt) < since
  void queryClient.refetchQueries({ queryKey: COUNTS, type: 'active', predicate }, { cancelRefetch: false })
}

/** One person for a dialog. */
export function profileQuery(userId: string) {
  return queryOptions({
    queryKey: ['profile-in-dialog', userId],
    queryFn: ({ signal }) => callApi('GET /api/profiles/{userId}', { params: { userId }, signal }),
    ...READ_ONCE,
  })
}

/** Everybody who matches, as many at once as the server gives. */
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
 * The newest of those who wait for approval, those whose e-mail is verified first: only of them it is known who they are.
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
      // A stranger never comes before somebody known who has not been read yet.
      const people = verified.next ? verified.items : [...verified.items, ...unverified.items]
      return { people, hasMore: verified.next !== null || unverified.next !== null }
    },
    placeholderData: keepPreviousData,
  })
}

/** Asks for a list before the screen that shows it is drawn; what has been read lately is not asked for again. */
export function readAhead(filter: ProfileFilter, order: ProfileOrder): void {
  void queryClient.prefetchInfiniteQuery(profileListQuery(filter, order))
  void queryClient.prefetchQuery(profileCountQuery(filter))
}

export type UserList = ReturnType<typeof useUserList>

/**
 * The people who match, as far as they have been read, and how many there are.
 * @param isReadable false while it is not known whether there is what the filter names
 */
export function useUserList(filter: ProfileFilter, order: ProfileOrder, isReadable: boolean) {
  const list = useInfiniteQuery({ ...profileListQuery(filter, order), enabled: isReadable })
  const matching = useQuery({ ...profileCountQuery(filter), enabled: isReadable })
  const unfiltered = useQuery(profileCountQuery(NO_FILTER))
  const { data, isFetching, isPlaceholderData, hasNextPage, fetchNextPage } = list
  const profiles = useMemo(() => uniqueProfiles(data?.pages ?? []), [data])
  useFailureToast(list.error ?? matching.error ?? unfiltered.error, adminMessages.loadFailed)

  const isBroken = list.isFetchNextPageError
  const canReadOn = hasNextPage && !isFetching && !isPlaceholderData && !isBroken
  return {
    profiles,
    /** How many match; undefined until it has been read for this filter. */
    totalCount: matching.isPlaceholderData ? undefined : matching.data?.total,
    unfilteredCount: unfiltered.data?.total,
    /** Each count tells; the later one is right. */
    pendingCount: (matching.dataUpdatedAt > unfiltered.dataUpdatedAt ? matching : unfiltered).data?.pending,
    isLoading: list.isPending,
    hasFailed: hasBroken(list) && !data,
    /** The rows are those of the last filter or order, until the new ones are there. */
    isOutdated: isPlaceholderData,
    isFetching,
    hasMore: hasNextPage,
    /** All who match have been read. */
    isWhole: list.isSuccess && !isPlaceholderData && !hasNextPage,
    /** The next page could not be read. */
    isBroken,
    /** How many there are could not be read, or is just being tried again. */
    isCountBroken: hasBroken(matching) || hasBroken(unfiltered),
    isCounting: matching.isFetching || unfiltered.isFetching,
    /** Asks for the next page, where that can be done now. */
    readOn: canReadOn ? () => void fetchNextPage() : undefined,
    retry: () => void (isBroken ? fetchNextPage() : refreshUsers()),
  }
}

type Attempts = Pick<UseQueryResult, 'isError' | 'isPending' | 'isPlaceholderData' | 'errorUpdateCount'>

/** An attempt that follows a failed one is no success yet. */
function hasBroken({ isError, isPending, isPlaceholderData, errorUpdateCount }: Attempts): boolean {
  return isError || (errorUpdateCount > 0 && (isPending || isPlaceholderData))
}

/** Somebody whose place changed between two pages comes twice; the first time counts. */
function uniqueProfiles(pages: readonly { items: ManagedProfile[] }[]): ManagedProfile[] {
  const seen = new Set<string>()
  return pages.flatMap(({ items }) => items.filter(({ user_id }) => !seen.has(user_id) && seen.add(user_id)))
}

/** A refusal is answered elsewhere: whoever is no administrator any more leaves the screen. */
export function useFailureToast(error: Error | null, title: string): void {
  useEffect(() => {
    if (!error || (error instanceof ApiError && [401, 403].includes(error.status))) return
    showToast(failureNotice(title, error))
  }, [error, title])
}

/** Puts a person's newer state (or, to roll back, the older one) into every list that shows the person. */
export function patchCachedProfile(profile: ManagedProfile): void {
  const patch = (cached: ManagedProfile) => (cached.user_id === profile.user_id ? profile : cached)
  const patchPage = (page: ProfilePage) => ({ ...page, items: page.items.map(patch) })
  queryClient.setQueriesData<InfiniteData<ProfilePage>>(
    { queryKey: keys.lists },
    (data) => data && { ...data, pages: data.pages.map(patchPage) },
  )
}

/**
 * Reads lists and counts again, after a change. Where the row or button that had the focus has gone with it, the card
 * takes it, so that the keyboard does not start at the top of the page.
 */
export async function refreshUsers(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keys.all })
  await keepFocus()
}

/** Gives the focus to the card where what had it has gone. */
export async function keepFocus(): Promise<void> {
  // By then the rows have been drawn.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  if (document.activeElement === document.body)
    document.getElementById('usuarios')?.focus({ preventScroll: true })
}

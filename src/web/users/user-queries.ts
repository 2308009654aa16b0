import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
} from '@tanstack/react-query'
import type { ReplyOf } from '#contract/route.ts'
import { type ManagedProfile, type ProfileFilter, type ProfileSort, userRoutes } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'

export interface ProfileOrder {
  sort: ProfileSort
  order: 'asc' | 'desc'
}
interface PageParam {
  cursor?: string
  limit: number
}
type ProfilePage = ReplyOf<typeof userRoutes.listProfiles>
type ProfilePages = InfiniteData<ProfilePage, PageParam>

export const EVERYBODY: ProfileFilter = {}

const PAGE_SIZE = 100
/** Whoever has scrolled past this many pages is on the way to somewhere far down. */
const SMALL_PAGES = 5
const LARGE_PAGE_SIZE = 1_000
/** Reading so many pages again only because the window has the focus would be a burden. */
const MOST_PAGES_ON_FOCUS = 10

/** Query keys of everything that this folder reads. */
export const profileKeys = {
  all: ['profiles'],
  lists: ['profiles', 'list'],
  list: (filter: ProfileFilter, order: ProfileOrder) => ['profiles', 'list', filter, order],
  count: (filter: ProfileFilter) => ['profiles', 'count', filter],
  person: (userId: string) => ['profiles', 'person', userId],
  /** Read anew whenever it is opened, so that it is not among what a change makes old. */
  history: (userId: string) => ['profile-history', userId],
} as const

/** Everybody who matches, page after page; the rows of the last filter or order stay until the new ones are there. */
export function profileListQuery(filter: ProfileFilter, order: ProfileOrder) {
  return infiniteQueryOptions({
    queryKey: profileKeys.list(filter, order),
    queryFn: ({ pageParam, signal }) => {
      if (!pageParam.cursor) queueMicrotask(() => countAgain(filter))
      const query = { ...queryOf(filter), ...order, ...pageParam }
      return callApi(userRoutes.listProfiles, { query, signal })
    },
    initialPageParam: { limit: PAGE_SIZE } as PageParam,
    getNextPageParam: ({ next }, pages): PageParam | undefined =>
      next === null
        ? undefined
        : { cursor: next, limit: pages.length < SMALL_PAGES ? PAGE_SIZE : LARGE_PAGE_SIZE },
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= MOST_PAGES_ON_FOCUS,
  })
}

/**
 * Counts anew those who match, and everybody: a count older than the rows would contradict them. Called a moment after
 * the list is asked for, so that a count asked for with it serves.
 */
function countAgain(filter: ProfileFilter): void {
  void queryClient.prefetchQuery({ ...profileCountQuery(filter), staleTime: 0 })
  // While a search is typed, once in a while is enough.
  void queryClient.prefetchQuery({ ...profileCountQuery(EVERYBODY), staleTime: 1_000 })
}

/** How many match, and how many wait for approval in all. */
export function profileCountQuery(filter: ProfileFilter) {
  return queryOptions({
    queryKey: profileKeys.count(filter),
    queryFn: ({ signal }) => callApi(userRoutes.countProfiles, { query: queryOf(filter), signal }),
    placeholderData: keepPreviousData,
  })
}

/** The filter as the address of a call carries it. */
export function queryOf({ approved, verified, ...rest }: ProfileFilter) {
  return {
    ...rest,
    ...(approved !== undefined && { approved: approved ? ('true' as const) : ('false' as const) }),
    ...(verified !== undefined && { verified: verified ? ('true' as const) : ('false' as const) }),
  }
}

/** Reads lists and counts again, after something was changed. */
export function refreshProfiles(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: profileKeys.all })
}

/** Puts a person's newer state (or, to roll back, the older one) into every list that shows the person. */
export function patchCachedProfile(profile: ManagedProfile): void {
  patchCachedProfiles((cached) => (cached.user_id === profile.user_id ? profile : cached))
}

/** Changes the people in every list that has been read; whoever `change` returns as they are stays untouched. */
export function patchCachedProfiles(change: (profile: ManagedProfile) => ManagedProfile): void {
  queryClient.setQueriesData<ProfilePages>({ queryKey: profileKeys.lists }, (data) => {
    if (!data) return data
    const pages = data.pages.map((page) => changePage(page, change))
    return pages.every((page, index) => page === data.pages[index]) ? data : { ...data, pages }
  })
}

function changePage(page: ProfilePage, change: (profile: ManagedProfile) => ManagedProfile): ProfilePage {
  const items = page.items.map(change)
  return items.every((item, index) => item === page.items[index]) ? page : { ...page, items }
}

/** Asks for a list before the screen that shows it is drawn; what has been read lately is not asked for again. */
export function readAhead(filter: ProfileFilter, order: ProfileOrder): void {
  void queryClient.prefetchInfiniteQuery(profileListQuery(filter, order))
  void queryClient.prefetchQuery(profileCountQuery(filter))
}

/** The card that the table is in; it can have the focus. */
const CARD_ID = 'usuarios'

/**
 * Reads the table again after a change. Where the row or button that had the focus has gone with it, the card
 * takes it, so that the keyboard does not start at the top of the page.
 */
export async function refreshAndKeepFocus(): Promise<void> {
  await refreshProfiles()
  await keepFocus()
}

/** Gives the focus to the card where what had it has gone. */
export async function keepFocus(): Promise<void> {
  // By then the rows have been drawn.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  if (document.activeElement === document.body)
    document.getElementById(CARD_ID)?.focus({ preventScroll: true })
}

import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { inboxMessages, supportRoutes } from '#contract/support.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { runOneByOne } from '#web/http/run-one-by-one.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { InboxFilter } from './inbox-filter.ts'
import {
  appendPage,
  type FetchedPage,
  type Inbox,
  type InboxPage,
  limitOf,
  noteChange,
  PAGE_SIZE,
  replacePage,
  startInbox,
} from './inbox-pages.ts'
import { followMessageChanges } from './message-changes.ts'

/** Query key of a person's list; lists of other filters begin alike. */
export function inboxKey(userId: string, filter: InboxFilter): QueryKey {
  return ['support-messages', 'list', userId, filter]
}

/**
 * The messages that pass a filter, followed live. Further parts are loaded as they are asked for, and those
 * that are looked at are fetched again when they change.
 */
export function useInbox(userId: string, filter: InboxFilter) {
  const { q, isUnreadOnly } = filter
  const key = useMemo(() => inboxKey(userId, { q, isUnreadOnly }), [userId, q, isUnreadOnly])
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => startInbox(await fetchPage(filter, undefined, PAGE_SIZE, signal)),
    placeholderData: keepPreviousData,
    // What is there is kept right by the changes alone: a whole fetch would forget all but the newest part. A list
    // that could not be had is stale all the same, and fetched once the browser is back online.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { failure, forgetToast } = useFailure(data, error)
  const looked = useFreshPages(key, filter, data !== undefined && !isPlaceholderData)
  const more = useMore(key, filter)
  return {
    inbox: data,
    isPlaceholderData,
    failure,
    isFetching,
    retry: () => {
      forgetToast()
      void refetch()
    },
    ...looked,
    ...more,
  }
}

/** Fetches again what has changed, the newest part and those that are looked at. */
function useFreshPages(key: QueryKey, filter: InboxFilter, isLoaded: boolean) {
  const looked = useRef({ first: 0, last: 0 })
  const hasMissed = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes with the filter
  const refresh = useMemo(
    () =>
      runOneByOne(async () => {
        const tried = new Set<InboxPage>()
        for (;;) {
          const page = outdatedPage(key, looked.current, tried)
          if (!page) return
          tried.add(page)
          const fetched = await fetchPage(filter, page.cursor, limitOf(page))
          change(key, (inbox) => replacePage(inbox, page, fetched))
        }
      }),
    [key],
  )
  useEffect(
    () =>
      followMessageChanges((news) => {
        if (!queryClient.getQueryData(key)) {
          hasMissed.current = true
          // After a failure nothing else would fetch it; what is on its way is awaited.
          void queryClient.refetchQueries({ queryKey: key, exact: true }, { cancelRefetch: false })
        }
        change(key, (inbox) => noteChange(inbox, news))
        refresh()
      }),
    [key, refresh],
  )
  // What changed while the list was on its way may be missing in it.
  useEffect(() => {
    if (!isLoaded || !hasMissed.current) return
    hasMissed.current = false
    change(key, (inbox) => noteChange(inbox, { kind: 'stale' }))
    refresh()
  }, [key, isLoaded, refresh])
  const lookAt = (first: number, last: number) => {
    looked.current = { first, last }
    if (outdatedPage(key, looked.current)) refresh()
  }
  return { lookAt }
}

function outdatedPage(
  key: QueryKey,
  { first, last }: { first: number; last: number },
  tried?: Set<InboxPage>,
) {
  const pages = queryClient.getQueryData<Inbox>(key)?.pages ?? []
  return pages.find(
    (page, index) =>
      page.misses > 0 && (index === 0 || (index >= first && index <= last)) && !tried?.has(page),
  )
}

/** Loads the next part when the end of the list comes near. */
function useMore(key: QueryKey, filter: InboxFilter) {
  const [failedAt, setFailedAt] = useState<string>()
  const isLoading = useRef(false)
  const loadMore = async () => {
    const cursor = queryClient.getQueryData<Inbox>(key)?.pages.at(-1)?.next
    if (!cursor || isLoading.current) return
    isLoading.current = true
    setFailedAt(undefined)
    try {
      const fetched = await fetchPage(filter, cursor, PAGE_SIZE)
      change(key, (inbox) => appendPage(inbox, cursor, fetched))
    } catch {
      setFailedAt(cursor)
    } finally {
      isLoading.current = false
    }
  }
  return { loadMore, failedAt }
}

function fetchPage(
  { q, isUnreadOnly }: InboxFilter,
  cursor: string | undefined,
  limit: number,
  signal?: AbortSignal,
): Promise<FetchedPage> {
  const query = { q: q || undefined, unread: isUnreadOnly ? ('true' as const) : undefined, cursor, limit }
  return callApi(supportRoutes.listSupportMessages, { query, signal })
}

/** Changes a loaded list; one that is not loaded stays so. */
export function change(key: QueryKey, update: (inbox: Inbox) => Inbox): void {
  queryClient.setQueryData<Inbox>(key, (inbox) => inbox && update(inbox))
}

/**
 * Why there is no list, and the toast that says so: once, however often the page tries again by itself.
 * @returns the failure, which stands until there is a list, and what makes the next one be said again
 */
function useFailure(data: Inbox | undefined, error: Error | null) {
  const [failure, setFailure] = useState<Error>()
  const isSaid = useRef(false)
  useEffect(() => {
    if (data) {
      setFailure(undefined)
      isSaid.current = false
    } else if (error) {
      setFailure(error)
      if (!isSaid.current)
        showToast({ kind: 'error', title: inboxMessages.loadFailed, description: error.message })
      isSaid.current = true
    }
  }, [data, error])
  return {
    failure,
    forgetToast: () => {
      isSaid.current = false
    },
  }
}

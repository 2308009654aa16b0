import { keepPreviousData, useInfiniteQuery, useMutation, useMutationState } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { inboxMessages, type SupportMessage, supportRoutes } from '#contract/support.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { InboxFilter } from './inbox-filter.ts'
import { MESSAGES_QUERY } from './message-changes.ts'

/** The most that the server gives at once: whoever has scrolled far has few requests to repeat after a change. */
const PAGE_SIZE = 100
const MARK_READ = [MESSAGES_QUERY, 'mark-read']
const DELETE = [MESSAGES_QUERY, 'delete']

/** The messages that pass a filter, newest first, as far as was scrolled; read again whenever any has changed. */
export function useInbox(userId: string, filter: InboxFilter) {
  const { data, error, refetch, ...query } = useInfiniteQuery({
    queryKey: [MESSAGES_QUERY, 'list', userId, filter],
    queryFn: ({ pageParam, signal }) => {
      const unread = filter.isUnreadOnly ? ('true' as const) : undefined
      const query = { q: filter.q || undefined, unread, cursor: pageParam, limit: PAGE_SIZE }
      return callApi(supportRoutes.listSupportMessages, { query, signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    // The stream of changes says when it is out of date.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { isFetching, hasNextPage, isFetchNextPageError, fetchNextPage } = query
  return {
    ...query,
    messages: useMemo(() => data?.pages.flatMap(({ items }) => items), [data]),
    total: data?.pages.at(-1)?.total ?? 0,
    failure: useFailure(data ? null : error, data !== undefined),
    retry: async () => {
      const result = await refetch()
      if (result.error) toastFailure(result.error)
    },
    /** Undefined while it must wait, after a failure until it is asked for by hand. */
    loadMore: hasNextPage && !isFetching && !isFetchNextPageError ? fetchNextPage : undefined,
  }
}

/** Why there is no list; it stands until there is one, however often the page tries again, and is said once. */
function useFailure(error: Error | null, isLoaded: boolean): Error | null {
  const [failure, setFailure] = useState(error)
  if (isLoaded ? failure : error && error !== failure) setFailure(error)
  const hasFailed = failure !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: not again for each further try
  useEffect(() => {
    if (failure) toastFailure(failure)
  }, [hasFailed])
  return failure
}

function toastFailure({ message }: Error): void {
  showToast({ kind: 'error', title: inboxMessages.loadFailed, description: message })
}

/** Marks as read and deletes. Each is under way until the list has been read again, and shown as done by withPending. */
export function useMessageActions() {
  const markRead = useMutation({
    mutationKey: MARK_READ,
    mutationFn: ({ id }: SupportMessage) =>
      callApi(supportRoutes.markMessageRead, { params: { id }, body: { is_read: true } }),
    onSuccess: () => tellAndReadAgain(inboxMessages.read),
    onError: (error) => explain(inboxMessages.readFailed, error),
  })
  const remove = useMutation({
    mutationKey: DELETE,
    mutationFn: async ({ id }: SupportMessage) => {
      try {
        await callApi(supportRoutes.deleteMessage, { params: { id } })
      } catch (error) {
        // Another administrator was faster; what was wanted has happened.
        if (!isGone(error)) throw error
      }
    },
    onSuccess: () => tellAndReadAgain(inboxMessages.deleted),
    onError: (error) => explain(inboxMessages.deleteFailed, error),
  })
  return { markRead: markRead.mutate, remove: remove.mutate }
}

/** The messages as they will be once what is under way has succeeded; a failure needs no undoing then. */
export function useWithPending(messages: SupportMessage[], isUnreadOnly: boolean): SupportMessage[] {
  const read = usePendingIds(MARK_READ)
  const deleted = usePendingIds(DELETE)
  if (read.length === 0 && deleted.length === 0) return messages
  const gone = isUnreadOnly ? [...deleted, ...read] : deleted
  return messages
    .filter(({ id }) => !gone.includes(id))
    .map((message) => (read.includes(message.id) ? { ...message, is_read: true } : message))
}

function usePendingIds(mutationKey: string[]): string[] {
  return useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => (state.variables as SupportMessage).id,
  })
}

function tellAndReadAgain(title: string): Promise<void> {
  showToast({ kind: 'success', title })
  return queryClient.invalidateQueries({ queryKey: [MESSAGES_QUERY] })
}

function explain(title: string, error: Error): void {
  const description = isGone(error) ? 'Esta mensagem já foi excluída.' : error.message
  showToast({ kind: 'error', title, ...(description && { description }) })
  void queryClient.invalidateQueries({ queryKey: [MESSAGES_QUERY] })
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.problem.code === 'not-found'
}

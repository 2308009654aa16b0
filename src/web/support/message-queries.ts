import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { inboxMessages, type SupportMessage } from '#contract/support.ts'
import { callApi } from '#web/http/api.ts'
import { MESSAGES_QUERY, queryClient } from '#web/http/query-client.ts'
import { isGone } from '#web/http/send-request.ts'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import type { InboxFilter } from './inbox-screen.tsx'

/** The server's maximum: few requests to repeat after a change, however far the person has scrolled. */
const PAGE_SIZE = 100
const UNDO_MS = 30_000

/** Queries the messages that match a filter, newest first, page by page; refetched on every change. */
export function useInbox(userId: string, filter: InboxFilter) {
  const { data, error, refetch, ...query } = useInfiniteQuery({
    queryKey: [MESSAGES_QUERY, 'list', userId, filter],
    queryFn: ({ pageParam, signal }) => {
      const shown = filter.shown === 'all' ? {} : { [filter.shown]: 'true' as const }
      const query = { q: filter.q || undefined, ...shown, cursor: pageParam, limit: PAGE_SIZE }
      return callApi('GET /api/support-messages', { query, signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    // The event stream invalidates it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { isFetching, hasNextPage, isFetchNextPageError, fetchNextPage } = query
  return {
    ...query,
    messages: useMemo(() => data?.pages.flatMap(({ items }) => items), [data]),
    total: data?.pages.at(-1)?.total ?? 0,
    failure: useFailure(error, data !== undefined),
    retry: async () => {
      const result = await refetch()
      if (result.error) showToast(toFailureToast(inboxMessages.loadFailed, result.error))
    },
    /** Undefined while loading, and after a failure, which is retried by hand. */
    loadMore: hasNextPage && !isFetching && !isFetchNextPageError ? fetchNextPage : undefined,
  }
}

/** Returns the load failure until there is data; shows its toast once, however often the page retries. */
function useFailure(error: Error | null, isLoaded: boolean): Error | null {
  const [failure, setFailure] = useState(error)
  useEffect(() => setFailure((first) => (isLoaded ? null : (first ?? error))), [error, isLoaded])
  useEffect(() => {
    if (failure) showToast(toFailureToast(inboxMessages.loadFailed, failure))
  }, [failure])
  return failure
}

/** Toggles whether a message is read, or moves a suspect one to the inbox. */
export function useMarkMessage(onDone: () => void) {
  const texts = ({ is_read, is_suspect }: SupportMessage) => {
    if (is_suspect) return [inboxMessages.accepted, inboxMessages.acceptFailed] as const
    return is_read
      ? ([inboxMessages.unread, inboxMessages.unreadFailed] as const)
      : ([inboxMessages.read, inboxMessages.readFailed] as const)
  }
  return useSubmit({
    send: ({ id, is_read, is_suspect }: SupportMessage) => {
      const body = is_suspect ? ({ is_suspect: false } as const) : { is_read: !is_read }
      return callApi('PATCH /api/support-messages/{id}', { params: { id }, body })
    },
    onDone: (_, message) => showResultAndRefetch(texts(message)[0]).then(onDone),
    onFailed: (error, message) => void showResultAndRefetch(texts(message)[1], error),
  })
}

/** Records that the person opened a mail to answer the message. */
export function useRecordAnswer(onDone: () => void) {
  const body = { is_read: true, answered: true } as const
  return useSubmit({
    send: ({ id }: SupportMessage) => callApi('PATCH /api/support-messages/{id}', { params: { id }, body }),
    onDone: () => refetchMessages().then(onDone),
    onFailed: (error) => void showResultAndRefetch(inboxMessages.readFailed, error),
  })
}

/** Marks all messages, or all that match a search, as read; the toast offers to undo it. */
export function useMarkAllRead() {
  return useSubmit({
    send: (q: string) => callApi('PATCH /api/support-messages', { body: { is_read: true, ...(q && { q }) } }),
    onDone({ ids }) {
      const undo = { label: 'Desfazer', run: () => void markUnread(ids) }
      showToast({
        kind: 'success',
        title: inboxMessages.allRead,
        ...(ids.length > 0 && { action: undo, lifetimeMs: UNDO_MS }),
      })
      return refetchMessages()
    },
    onFailed: (error) => void showResultAndRefetch(inboxMessages.allReadFailed, error),
  })
}

async function markUnread(ids: string[]): Promise<void> {
  try {
    await callApi('PATCH /api/support-messages', { body: { is_read: false, ids } })
    await showResultAndRefetch(inboxMessages.allUnread)
  } catch (error) {
    await showResultAndRefetch(inboxMessages.allUnreadFailed, error)
  }
}

export function useDeleteMessage(onSettled: () => void) {
  return useSubmit({
    send: ({ id }: SupportMessage) =>
      // Already deleted by another administrator.
      callApi('DELETE /api/support-messages/{id}', { params: { id } }).catch((error) => {
        if (!isGone(error)) throw error
      }),
    onDone: () => showResultAndRefetch(inboxMessages.deleted),
    onFailed: (error) => void showResultAndRefetch(inboxMessages.deleteFailed, error),
    onSettled,
  })
}

function showResultAndRefetch(title: string, error?: unknown): Promise<void> {
  if (!error) showToast({ kind: 'success', title })
  else if (!isGone(error)) showToast(toFailureToast(title, error))
  else showToast({ kind: 'error', title, description: 'Esta mensagem já foi excluída.' })
  return refetchMessages()
}

function refetchMessages(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [MESSAGES_QUERY] })
}

import { type QueryKey, useMutation, useMutationState } from '@tanstack/react-query'
import { inboxMessages, type SupportMessage, supportRoutes } from '#contract/support.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { showToast } from '#web/ui/toast.tsx'
import { changeMessage, type InboxRow, noteChange } from './inbox-pages.ts'
import { change } from './use-inbox.ts'

const MARK_READ = ['support-messages', 'mark-read']
const DELETE = ['support-messages', 'delete']

/**
 * Marks as read and deletes. What is under way is shown as done by usePendingActions, so that a failure
 * needs no undoing: the message stands again as the list has it.
 */
export function useMessageActions(key: QueryKey, isUnreadOnly: boolean) {
  const markRead = useMutation({
    mutationKey: MARK_READ,
    mutationFn: ({ id }: SupportMessage) =>
      callApi(supportRoutes.markMessageRead, { params: { id }, body: { is_read: true } }),
    onSuccess(read) {
      change(key, (inbox) => changeMessage(inbox, read.id, () => (isUnreadOnly ? undefined : read)))
      settle(inboxMessages.read)
    },
    onError: (error, { id }) => explain(inboxMessages.readFailed, error, key, id),
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
    onSuccess(_, { id }) {
      change(key, (inbox) => changeMessage(inbox, id, () => undefined))
      settle(inboxMessages.deleted)
    },
    onError: (error, { id }) => explain(inboxMessages.deleteFailed, error, key, id),
  })
  return { markRead: markRead.mutate, remove: remove.mutate }
}

/** The rows as they will be once everything that is under way has succeeded. */
export function usePendingActions(rows: InboxRow[], isUnreadOnly: boolean): InboxRow[] {
  const read = usePendingIds(MARK_READ)
  const deleted = usePendingIds(DELETE)
  if (read.length === 0 && deleted.length === 0) return rows
  return rows.flatMap((row) => {
    const { id } = row.message
    if (deleted.includes(id)) return []
    if (!read.includes(id)) return [row]
    return isUnreadOnly ? [] : [{ ...row, message: { ...row.message, is_read: true } }]
  })
}

function usePendingIds(mutationKey: string[]): string[] {
  return useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => (state.variables as SupportMessage).id,
  })
}

function settle(title: string): void {
  showToast({ kind: 'success', title })
  void queryClient.invalidateQueries({ queryKey: ['support-messages', 'unread-count'] })
}

function explain(title: string, error: Error, key: QueryKey, id: string): void {
  if (isGone(error)) change(key, (inbox) => noteChange(inbox, { kind: 'changed', ids: [id] }))
  const description = isGone(error) ? 'Esta mensagem já foi excluída.' : error.message
  showToast({ kind: 'error', title, ...(description && { description }) })
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.problem.code === 'not-found'
}

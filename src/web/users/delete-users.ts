import { adminMessages } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { ApiError } from '#web/http/api.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { getSession } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { formatNames, formatUserCount, isSelected, type Selection } from './selection.ts'
import { readAllMatching } from './user-queries.ts'

/** Far below the limit of 1,000 per request, so that the progress bar advances. */
const BATCH_SIZE = 250

interface Deletion {
  deletedIds: string[]
  refused: { userId: string; error: string }[]
  /** The error that stopped it; the people of later batches are untouched. */
  failure?: unknown
}

/** Reads all selected people, sorted by e-mail; those who match a filter page by page. */
export async function readSelected(selection: Selection, signal?: AbortSignal): Promise<ManagedProfile[]> {
  if (selection.kind === 'some')
    return [...selection.profiles.values()].sort((a, b) => a.email.localeCompare(b.email, 'pt-BR'))
  const all = await readAllMatching(selection.filter, { sort: 'email', order: 'asc' }, signal)
  return all.filter(({ user_id }) => isSelected(selection, user_id))
}

/**
 * Describes how the selection changed since the preview, and names the first newcomers.
 * @returns undefined when the people are the same
 */
export function describeListChange(
  before: readonly ManagedProfile[],
  now: readonly ManagedProfile[],
): string | undefined {
  const known = new Set(before.map(({ user_id }) => user_id))
  const entered = now.filter(({ user_id }) => !known.has(user_id)).map(({ email }) => email)
  if (entered.length === 0 && now.length === before.length) return undefined
  const how =
    now.length === before.length
      ? 'o número é o mesmo, mas as pessoas não'
      : `agora ${now.length === 1 ? 'corresponde' : 'correspondem'} ${formatUserCount(now.length)}`
  const who =
    entered.length > 0 ? ` ${entered.length === 1 ? 'Entrou' : 'Entraram'}: ${formatNames(entered)}.` : ''
  return `A lista mudou nesse meio-tempo: ${how}.${who}`
}

/**
 * Deletes people in batches and stops at the first batch that fails.
 * @param onProgress called after each batch with the number of people processed
 */
export async function deleteInBatches(
  people: readonly ManagedProfile[],
  onProgress: (done: number) => void,
): Promise<Deletion> {
  const deletion: Deletion = { deletedIds: [], refused: [] }
  try {
    for (let start = 0; start < people.length; start += BATCH_SIZE) {
      const userIds = people.slice(start, start + BATCH_SIZE).map(({ user_id }) => user_id)
      const { success, errors } = await retryCall('POST /api/functions/delete-users', { body: { userIds } })
      deletion.deletedIds.push(...success)
      deletion.refused.push(...errors)
      onProgress(start + userIds.length)
    }
  } catch (failure) {
    deletion.failure = failure
  }
  return deletion
}

/**
 * Shows the result of a deletion in toasts.
 * @param people the people to delete, to name them by e-mail
 */
export function announceDeletion(deletion: Deletion, people: readonly ManagedProfile[]): void {
  const { deletedIds, refused, failure } = deletion
  if (deletedIds.length > 0) {
    const description = formatNames(
      people.filter(({ user_id }) => deletedIds.includes(user_id)).map(({ email }) => email),
    )
    showToast({ kind: 'success', title: adminMessages.deleted(deletedIds.length), description })
  }
  if (refused.length > 0) {
    const title = adminMessages.deleteFailedFor(refused.length)
    showToast({ kind: 'error', title, description: explainRefusals(refused, people) })
  }
  if (failure === undefined) return
  if (!getSession() || (failure instanceof ApiError && failure.status === 401))
    showToast({ kind: 'error', title: adminMessages.sessionExpired })
  else showToast(toFailureToast(adminMessages.deleteFailed, failure))
}

/** Lists each reason once, with the first people it applies to. */
function explainRefusals(refused: Deletion['refused'], people: readonly ManagedProfile[]): string {
  const emails = new Map(people.map(({ user_id, email }) => [user_id, email]))
  const reasons = Map.groupBy(refused, ({ error }) => error)
  return [...reasons]
    .map(([reason, of]) => `${formatNames(of.map(({ userId }) => emails.get(userId) ?? userId))}: ${reason}`)
    .join(' ')
}

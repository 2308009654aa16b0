import { adminMessages } from '#contract/admin-messages.ts'
import { type ManagedProfile, MOST_IDS, profileRoutes } from '#contract/profiles.ts'
import { queryOf } from '#web/admin-users/profile-queries.ts'
import type { Selection } from '#web/admin-users/selection.ts'
import { ApiError, callApi } from '#web/api.ts'
import { getSession } from '#web/session.ts'
import { showToast } from '#web/ui/toast.tsx'

/** Far below the 1,000 that one call takes, so that a long deletion shows how far it is. */
const BATCH_SIZE = 250

export interface Deletion {
  deletedIds: string[]
  refused: { userId: string; error: string }[]
  /** What broke it off; the people of later batches are untouched. */
  failure?: unknown
}

/**
 * Everybody who is selected, those who match a filter read page by page.
 * @returns at most `most` of them, by e-mail
 */
export async function readSelected(
  selection: Selection,
  most = Number.POSITIVE_INFINITY,
  signal?: AbortSignal,
): Promise<ManagedProfile[]> {
  if (selection.kind === 'some') return [...selection.profiles.values()].sort(byEmail).slice(0, most)
  const except = new Set(selection.except)
  const found: ManagedProfile[] = []
  const limit = Math.min(most + except.size, MOST_IDS)
  const order = { ...queryOf(selection.filter), sort: 'email', order: 'asc', limit } as const
  let cursor: string | null | undefined
  do {
    const query = { ...order, ...(cursor && { cursor }) }
    const page = await callApi(profileRoutes.listProfiles, { query, signal })
    found.push(...page.items.filter(({ user_id }) => !except.has(user_id)))
    cursor = page.next
  } while (cursor && found.length < most)
  return found.slice(0, most)
}

/** Deletes people batch after batch; what fails ends it and is returned with what has been done. */
export async function deleteInBatches(
  userIds: readonly string[],
  onProgress: (done: number) => void,
): Promise<Deletion> {
  const deletion: Deletion = { deletedIds: [], refused: [] }
  for (let start = 0; start < userIds.length; start += BATCH_SIZE) {
    try {
      const body = { userIds: userIds.slice(start, start + BATCH_SIZE) }
      const { success, errors } = await callApi(profileRoutes.deleteUsers, { body })
      deletion.deletedIds.push(...success)
      deletion.refused.push(...errors)
    } catch (failure) {
      return { ...deletion, failure }
    }
    onProgress(Math.min(start + BATCH_SIZE, userIds.length))
  }
  return deletion
}

/** Says how a deletion went, in the words of SPEC section 8. */
export function announceDeletion(deletion: Deletion, emailOf: (userId: string) => string | undefined): void {
  const { deletedIds, refused, failure } = deletion
  if (deletedIds.length > 0) showToast({ kind: 'success', title: adminMessages.deleted(deletedIds.length) })
  if (refused.length > 0)
    showToast({
      kind: 'error',
      title: adminMessages.deleteFailedFor(refused.length),
      description: explainRefusals(refused, emailOf),
    })
  if (failure === undefined) return
  if (!getSession() || (failure instanceof ApiError && failure.status === 401))
    return void showToast({ kind: 'error', title: adminMessages.sessionExpired })
  const description = failure instanceof Error ? failure.message : ''
  showToast({ kind: 'error', title: adminMessages.deleteFailed, description })
}

/** Each reason once, with the first people whom it is about. */
function explainRefusals(
  refused: Deletion['refused'],
  emailOf: (userId: string) => string | undefined,
): string {
  const reasons = Map.groupBy(refused, ({ error }) => error)
  return [...reasons]
    .map(([reason, people]) => {
      const names = people.slice(0, 3).map(({ userId }) => emailOf(userId) ?? 'usuário já excluído')
      const rest = people.length > names.length ? ` e mais ${people.length - names.length}` : ''
      return `${names.join(', ')}${rest}: ${reason}`
    })
    .join(' ')
}

function byEmail(one: ManagedProfile, other: ManagedProfile): number {
  return one.email.localeCompare(other.email, 'pt-BR')
}

import { adminMessages, MAX_IDS, type ManagedProfile } from '#contract/users.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { getSession } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { Selection } from './selection.ts'
import { usersInWords } from './selection.ts'
import { queryOf } from './user-queries.ts'

/** Far below the 1,000 that one call takes, so that a long deletion shows how far it is. */
const BATCH_SIZE = 250
/** As many people as a sentence names. */
const MAX_NAMED = 3

export interface Deletion {
  deletedIds: string[]
  refused: { userId: string; error: string }[]
  /** What broke it off; the people of later batches are untouched. */
  failure?: unknown
}

interface ReadOptions {
  /** Called after each page with all who have been read so far. */
  onPage?: (found: readonly ManagedProfile[]) => void
  signal?: AbortSignal
}

/**
 * Everybody who is selected, those who match a filter read page by page.
 * @returns all of them, by e-mail
 */
export async function readSelected(
  selection: Selection,
  { onPage, signal }: ReadOptions = {},
): Promise<ManagedProfile[]> {
  if (selection.kind === 'some') return [...selection.profiles.values()].sort(byEmail)
  const except = new Set(selection.except)
  const found: ManagedProfile[] = []
  const order = { ...queryOf(selection.filter), sort: 'email', order: 'asc', limit: MAX_IDS } as const
  let cursor: string | null | undefined
  do {
    const query = { ...order, ...(cursor && { cursor }) }
    const page = await callApi('GET /api/profiles', { query, signal })
    found.push(...page.items.filter(({ user_id }) => !except.has(user_id)))
    cursor = page.next
    onPage?.(found)
  } while (cursor)
  return found
}

/**
 * Says how those who are selected now differ from those who were to be deleted, and names the first who came in.
 * @returns undefined when they are the same people
 */
export function describeOthers(
  before: readonly ManagedProfile[],
  now: readonly ManagedProfile[],
): string | undefined {
  const known = new Set(before.map(({ user_id }) => user_id))
  const entered = now.filter(({ user_id }) => !known.has(user_id)).map(({ email }) => email)
  if (entered.length === 0 && now.length === before.length) return undefined
  const how =
    now.length === before.length
      ? 'o número é o mesmo, mas as pessoas não'
      : `agora ${now.length === 1 ? 'corresponde' : 'correspondem'} ${usersInWords(now.length)}`
  const who = entered.length > 0 && `${entered.length === 1 ? 'Entrou' : 'Entraram'}: ${firstOf(entered)}.`
  return [`A lista mudou nesse meio-tempo: ${how}.`, who].filter(Boolean).join(' ')
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
      const { success, errors } = await callApi('POST /api/functions/delete-users', { body })
      deletion.deletedIds.push(...success)
      deletion.refused.push(...errors)
    } catch (failure) {
      return { ...deletion, failure }
    }
    onProgress(Math.min(start + BATCH_SIZE, userIds.length))
  }
  return deletion
}

/** Says how a deletion went. */
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
      const names = people.map(({ userId }) => emailOf(userId) ?? 'usuário já excluído')
      return `${firstOf(names)}: ${reason}`
    })
    .join(' ')
}

/** 'a@x, b@x, c@x e mais 2' */
function firstOf(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` e mais ${rest.toLocaleString('pt-BR')}` : '')
}

function byEmail(one: ManagedProfile, other: ManagedProfile): number {
  return one.email.localeCompare(other.email, 'pt-BR')
}

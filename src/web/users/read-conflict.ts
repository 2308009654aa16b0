import type { AuditAction } from '#contract/users.ts'
import { type HistoryEntry, type ManagedProfile, userRoutes } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { getSession } from '#web/session/session.ts'
import { describeChange, writeChange } from './describe-change.ts'
import { differencesBetween, joinDifferences } from './describe-lists.ts'
import { timeInSentence } from './time-in-sentence.ts'

/** Somebody was quicker: how the person stands now, and what happened meanwhile, oldest first. */
export interface Conflict {
  current: ManagedProfile
  sentences: string[]
}

/** Each of these raised the profile's version by one. */
const CHANGES: readonly string[] = [
  'approval-given',
  'approval-removed',
  'types-set',
  'scope-set',
  'entitlements-added',
  'entitlements-removed',
  'bulk-edit-undone',
] satisfies AuditAction[]
const MOST_SENTENCES = 5

/**
 * Finds out what has changed about a person since a state was read, and who did it.
 * @throws ApiError or NetworkError when it cannot be read
 */
export async function readConflict(base: ManagedProfile): Promise<Conflict> {
  const params = { userId: base.user_id }
  const [current, history] = await Promise.all([
    callApi(userRoutes.readProfile, { params }),
    callApi(userRoutes.readHistory, { params }),
  ])
  const since = changesSince(history.items, current.version - base.version)
  return {
    current,
    sentences: since.length > 0 ? since.map(sentenceOf) : [describeWithoutHistory(base, current)],
  }
}

/**
 * Who approved a person and when, as a sentence; undefined where the history does not say.
 * @throws ApiError or NetworkError when it cannot be read
 */
export async function readApproval(userId: string): Promise<string | undefined> {
  const { items } = await callApi(userRoutes.readHistory, { params: { userId } })
  const approval = items.find(({ action }) => action === ('approval-given' satisfies AuditAction))
  return approval && sentenceOf(approval)
}

function changesSince(entries: readonly HistoryEntry[], versions: number): HistoryEntry[] {
  const changes = entries.filter(({ action }) => CHANGES.includes(action))
  return changes.slice(0, Math.min(Math.max(versions, 0), MOST_SENTENCES)).reverse()
}

function sentenceOf(entry: HistoryEntry): string {
  return writeChange(describeChange(entry, getSession()?.user.email), timeInSentence(entry.at))
}

function describeWithoutHistory(base: ManagedProfile, current: ManagedProfile): string {
  const lists = joinDifferences(differencesBetween({ ...base }, { ...current }))
  const approval = current.approved ? 'conta aprovada' : 'aprovação removida'
  const all = [lists, base.approved !== current.approved && approval].filter(Boolean).join('; ')
  return `Mudou nesse meio-tempo: ${all || 'outra pessoa salvou o mesmo'}`
}

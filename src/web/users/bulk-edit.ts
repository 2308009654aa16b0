import { describeNotes } from '#contract/change-notes.ts'
import { type Entitlements, LISTS } from '#contract/entitlement-lists.ts'
import { adminMessages, checkEndDay } from '#contract/user-rules.ts'
import type { BulkEdit, BulkEditResult } from '#contract/users.ts'
import { ApiError } from '#web/http/api.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { showToast } from '#web/ui/toast.tsx'
import { describeEffects } from './describe-effect.ts'
import { countSelected, describeFilter, formatCount, type Selection } from './selection.ts'

/** The actions of 'Alteração em Massa' that concern what is ticked. */
export type BulkAction = Exclude<BulkEdit['action'], 'validity'>

/** Returns the message for the first missing input, or undefined when the edit is complete. */
export function missingItems(selection: Selection, edit: BulkEdit): string | undefined {
  if (countSelected(selection) === 0) return adminMessages.deleteNothing
  if (edit.action !== 'validity' && LISTS.every((list) => !edit[list]?.length))
    return adminMessages.bulkNothing
  return checkEndDay(edit.valid_until ?? '', Date.now())
}

/**
 * Builds the request body; lists with nothing ticked are left out, but for 'replace'.
 * @param validUntil a day; empty for unlimited access, undefined where it stays
 */
export function buildBulkEdit(
  selection: Selection,
  action: BulkAction,
  ticked: Entitlements,
  validUntil?: string,
): BulkEdit {
  const filled = LISTS.filter((list) => ticked[list].length > 0)
  const lists = action === 'replace' ? LISTS : filled
  return {
    ...toTarget(selection),
    ...(filled.length === 0 && validUntil !== undefined
      ? { action: 'validity' }
      : { action, ...Object.fromEntries(lists.map((list) => [list, ticked[list]])) }),
    ...(validUntil !== undefined && { valid_until: validUntil || null }),
  }
}

/** The part of a bulk edit that says whom it changes. */
function toTarget(selection: Selection) {
  if (selection.kind === 'some') return { userIds: [...selection.profiles.keys()] }
  const { filter, except, count } = selection
  return { allMatching: { filter, except, count } }
}

/** Adds the dry run's fingerprint, so that the edit applies only to the previewed people. */
export function addFingerprint(edit: BulkEdit, { fingerprint }: BulkEditResult): BulkEdit {
  return 'userIds' in edit ? edit : { ...edit, allMatching: { ...edit.allMatching, fingerprint } }
}

/** Returns the ids of deleted people; a conflict names them by their index in the edit. */
export function findDeletedIds(conflict: Error, edit: BulkEdit): string[] {
  if (!('userIds' in edit) || !(conflict instanceof ApiError)) return []
  const places = new Set(conflict.problem.fields?.map(({ path }) => path))
  return edit.userIds.filter((_, index) => places.has(`userIds.${index}`))
}

/** '1 usuário já não existe e saiu da seleção.' */
export function describeDeleted(count: number): string {
  return formatCount(
    count,
    'usuário já não existe e saiu da seleção.',
    'usuários já não existem e saíram da seleção.',
  )
}

/** Shows the result of a bulk edit, with an undo button for 30 seconds. */
export function announceBulkEdit(
  { action, valid_until }: BulkEdit,
  result: BulkEditResult,
  selection: Selection,
): void {
  const { undoId, undoSeconds, selected, unchanged } = result
  const notice = { kind: 'success', title: adminMessages.bulkDone(action, selected) } as const
  if (undoId === null || selected === unchanged)
    return void showToast({ ...notice, description: 'Ninguém mudou: todos já estavam assim.' })
  const sentences = [
    describeEffects(result, valid_until, true),
    describeNotes(result.notes),
    describeFilter(selection),
  ]
  announceUndoable({ ...notice, description: sentences.filter(Boolean).join(' ') }, { undoId, undoSeconds })
}

import type { Entitlements } from '#contract/entitlement-lists.ts'
import { adminMessages, checkEndDay } from '#contract/user-rules.ts'
import type { BulkEdit, BulkEditResult } from '#contract/users.ts'
import { ApiError } from '#web/http/api.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { showToast } from '#web/ui/toast.tsx'
import { describeEffects } from './describe-effect.ts'
import { countSelected, formatCount, type Selection } from './selection.ts'

/** The actions of 'Alteração em Massa'. */
export type BulkAction = Exclude<BulkEdit['action'], 'replace'>

/** Returns the message for the first missing input, or undefined when the edit is complete. */
export function missingItems(selection: Selection, edit: BulkEdit): string | undefined {
  if (countSelected(selection) === 0) return adminMessages.deleteNothing
  if (edit.action !== 'validity')
    return edit.types || edit.marcas || edit.estados ? undefined : adminMessages.bulkNothing
  if (edit.valid_until === undefined) return adminMessages.bulkNoEnd
  return checkEndDay(edit.valid_until ?? '', Date.now())
}

/**
 * Builds the request body; lists with nothing ticked are left out.
 * @param validUntil a day; empty for unlimited access, undefined until one is chosen
 */
export function buildBulkEdit(
  selection: Selection,
  action: BulkAction,
  { types, marcas, estados }: Entitlements,
  validUntil?: string,
): BulkEdit {
  const change =
    action === 'validity'
      ? { action, ...(validUntil !== undefined && { valid_until: validUntil || null }) }
      : {
          action,
          ...(types.length > 0 && { types }),
          ...(marcas.length > 0 && { marcas }),
          ...(estados.length > 0 && { estados }),
        }
  return { ...toTarget(selection), ...change }
}

/** The part of a bulk edit that says whom it changes. */
export function toTarget(selection: Selection) {
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
  action: BulkAction,
  result: BulkEditResult,
  validUntil: string | null | undefined,
): void {
  const { undoId, undoSeconds, selected, unchanged } = result
  const notice = { kind: 'success', title: adminMessages.bulkDone(action, selected) } as const
  if (undoId === null || selected === unchanged)
    return void showToast({ ...notice, description: 'Ninguém mudou: todos já estavam assim.' })
  announceUndoable(
    { ...notice, description: describeEffects(result, validUntil, true) },
    { undoId, undoSeconds },
  )
}

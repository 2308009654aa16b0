import type { Entitlements } from '#contract/entitlement-lists.ts'
import { adminMessages, checkEndDay, UNDO_HOURS, UNDO_SECONDS } from '#contract/user-rules.ts'
import type { BulkEdit, BulkEditResult } from '#contract/users.ts'
import { ApiError } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { isOutcomeUnknown, retryCall } from '#web/session/retry-call.ts'
import { showToast, type ToastContent } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { describeEffects } from './describe-effect.ts'
import { countSelected, formatCount, formatNames, type Selection } from './selection.ts'
import { refreshUsers } from './user-queries.ts'

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

/** Shows a toast, with an undo button for the remaining seconds: the reply may arrive late. */
export function announceUndoable(
  notice: ToastContent,
  { undoId, undoSeconds }: { undoId: string | null; undoSeconds: number },
): void {
  // A reply that the previous version stored has none.
  if (!undoId) return void showToast(notice)
  if (undoSeconds === 0)
    return void showToast({
      ...notice,
      description: `${notice.description ?? ''} Ainda dá para desfazer na Auditoria, por ${UNDO_HOURS} horas.`,
    })
  const action = { label: 'Desfazer', run: () => void undoBulkEdit(undoId) }
  showToast({ ...notice, lifetimeMs: undoSeconds * 1_000, action })
}

export async function undoBulkEdit(undoId: string): Promise<void> {
  try {
    showToast(
      describeUndo(await retryCall('POST /api/profiles/bulk-edit/{undoId}/undo', { params: { undoId } })),
    )
  } catch (error) {
    const notice = toFailureToast('Não foi possível desfazer a alteração', error)
    // The retry uses the same idempotency key, so nothing is undone twice.
    const again = { action: { label: 'Tentar novamente', run: () => void undoBulkEdit(undoId) } }
    showToast(isOutcomeUnknown(error) ? { ...notice, ...again, lifetimeMs: UNDO_SECONDS * 1_000 } : notice)
  }
  void refreshUsers()
  for (const key of ['access-reviews', 'catalogue-use', 'audit'])
    void queryClient.invalidateQueries({ queryKey: [key] })
}

/** Formats the result of an undo: how many were restored, and the e-mails of those that were not. */
export function describeUndo({ restored, changed }: { restored: number; changed: string[] }): ToastContent {
  const what = ['usuário voltou ao que tinha antes.', 'usuários voltaram ao que tinham antes.'] as const
  const done = formatCount(restored, ...what)
  const title = 'Alteração desfeita'
  // A review that took nothing from anybody.
  if (restored + changed.length === 0) return { kind: 'success', title }
  if (changed.length === 0) return { kind: 'success', title, description: done }
  const stays =
    changed.length === 1
      ? 'foi alterado depois e ficou como está'
      : 'foram alterados depois e ficaram como estão'
  const description = `${done} ${formatNames(changed)} ${stays}.`
  return { kind: 'warning', title: 'Alteração desfeita em parte', description }
}

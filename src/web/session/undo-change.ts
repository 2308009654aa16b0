import type { auditRoutes } from '#contract/audit.ts'
import { describeNotes } from '#contract/change-notes.ts'
import type { ReplyOf } from '#contract/route.ts'
import { UNDO_HOURS, UNDO_SECONDS } from '#contract/user-rules.ts'
import { queryClient } from '#web/http/query-client.ts'
import { showToast, type ToastContent } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { isOutcomeUnknown, retryCall } from './retry-call.ts'

const MAX_NAMED = 3

interface Undoable {
  /** Null where nothing changed. */
  undoId: string | null
  /** What is left of the half minute: the reply may arrive late. */
  undoSeconds?: number
  onUndone?: () => unknown
}

/** Shows a toast about a change, with an undo button for the remaining seconds. @returns its id */
export function announceUndoable(
  notice: ToastContent,
  { undoId, undoSeconds = UNDO_SECONDS, onUndone }: Undoable,
): number {
  // A reply that the previous version stored has none.
  if (!undoId) return showToast(notice)
  if (undoSeconds === 0)
    return showToast({
      ...notice,
      description: `${notice.description ?? ''} Ainda dá para desfazer na Auditoria, por ${UNDO_HOURS} horas.`,
    })
  const action = { label: 'Desfazer', run: () => void undoChange(undoId).then(onUndone) }
  return showToast({ ...notice, lifetimeMs: undoSeconds * 1_000, action })
}

/** Undoes a change, says what came of it, and reads again what is shown. */
export async function undoChange(undoId: string): Promise<void> {
  try {
    showToast(
      describeUndo(await retryCall('POST /api/profiles/bulk-edit/{undoId}/undo', { params: { undoId } })),
    )
  } catch (error) {
    const notice = toFailureToast('Não foi possível desfazer a alteração', error)
    // The retry uses the same idempotency key, so nothing is undone twice.
    const again = { action: { label: 'Tentar novamente', run: () => void undoChange(undoId) } }
    showToast(isOutcomeUnknown(error) ? { ...notice, ...again, lifetimeMs: UNDO_SECONDS * 1_000 } : notice)
  }
  void queryClient.invalidateQueries()
}

/** Formats the result of an undo: how many were restored, and the e-mails of those that were not. */
export function describeUndo(result: ReplyOf<typeof auditRoutes.undoChange>): ToastContent {
  const { restored, changed, notes } = result
  const count = restored.toLocaleString('pt-BR')
  const what = restored === 1 ? '1 usuário voltou ao que tinha' : `${count} usuários voltaram ao que tinham`
  const done = `${what} antes. ${describeNotes(notes)}`.trim()
  const title = 'Alteração desfeita'
  // A thing, or a review that took nothing from anybody.
  if (restored + changed.length === 0) return { kind: 'success', title }
  if (changed.length === 0) return { kind: 'success', title, description: done }
  const rest = changed.length - MAX_NAMED
  const names = changed.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` e mais ${rest}` : '')
  const stays =
    changed.length === 1
      ? 'foi alterado depois e ficou como está'
      : 'foram alterados depois e ficaram como estão'
  const description = `${done} ${names} ${stays}.`
  return { kind: 'warning', title: 'Alteração desfeita em parte', description }
}

import { adminMessages, type BulkEdit, type BulkEditResult, UNDO_SECONDS } from '#contract/users.ts'
import { type ApiError, callApi } from '#web/http/api.ts'
import { onAuthStateChange } from '#web/session/session.ts'
import { closeToast, showToast } from '#web/ui/toast.tsx'
import { failureNotice } from '#web/ui/use-form.ts'
import type { Entitlements } from './entitlements.tsx'
import type { Selection } from './selection.ts'
import { refreshUsers } from './user-queries.ts'

/** A bulk edit of these people; lists in which nothing is ticked are left out. */
export function bulkEditOf(
  selection: Selection,
  action: BulkEdit['action'],
  { types, marcas, estados }: Entitlements,
): BulkEdit {
  const change = {
    action,
    ...(types.length > 0 && { types }),
    ...(marcas.length > 0 && { marcas }),
    ...(estados.length > 0 && { estados }),
  }
  if (selection.kind === 'some') return { userIds: selection.userIds, ...change }
  const { filter, except, count } = selection
  return { allMatching: { filter, except, count }, ...change }
}

/** The edit, to be saved for those people alone of whom a dry run has told. */
export function asPreviewed(edit: BulkEdit, { fingerprint }: BulkEditResult): BulkEdit {
  return 'userIds' in edit ? edit : { ...edit, allMatching: { ...edit.allMatching, fingerprint } }
}

/** The ids of those whom a conflict says to be gone; it names them by their place in the edit. */
export function goneFrom({ problem }: ApiError, edit: BulkEdit): string[] {
  if (!('userIds' in edit)) return []
  const places = new Set((problem.fields ?? []).map(({ path }) => path))
  return edit.userIds.filter((_, index) => places.has(`userIds.${index}`))
}

/** '1 usuário já não existe e saiu da seleção.' */
export function describeGone(count: number): string {
  return said(
    count,
    'usuário já não existe e saiu da seleção.',
    'usuários já não existem e saíram da seleção.',
  )
}

const said = (count: number, one: string, many: string) =>
  `${count.toLocaleString('pt-BR')} ${count === 1 ? one : many}`

/** What a dry run has counted: '12 ganham, 0 perdem, 3 ficam como estão'. */
export function describePreview({ gaining, losing, unchanged }: BulkEditResult): string {
  return [
    said(gaining, 'ganha', 'ganham'),
    said(losing, 'perde', 'perdem'),
    said(unchanged, 'fica como está', 'ficam como estão'),
  ].join(', ')
}

/** What became of those selected: '12 mudaram, 3 já estavam assim.' */
function describeOutcome({ selected, unchanged }: BulkEditResult): string {
  const changed = said(selected - unchanged, 'mudou', 'mudaram')
  return unchanged === 0 ? `${changed}.` : `${changed}, ${said(unchanged, 'já estava', 'já estavam')} assim.`
}

/** Says that a bulk edit is done, and offers for 30 seconds to take it back. */
export function announceBulkEdit(action: BulkEdit['action'], result: BulkEditResult): void {
  const { undoId, selected, unchanged } = result
  const notice = { kind: 'success', title: adminMessages.bulkDone(action, selected) } as const
  if (undoId === null || selected === unchanged)
    return void showToast({ ...notice, description: 'Ninguém mudou: todos já estavam assim.' })
  const lifetimeMs = UNDO_SECONDS * 1_000
  const id = showToast({
    ...notice,
    description: describeOutcome(result),
    lifetimeMs,
    action: { label: 'Desfazer', run: () => void undoBulkEdit(undoId) },
  })
  // The next person at this browser has nothing to take back.
  const end = onAuthStateChange((event) => event === 'SIGNED_OUT' && closeToast(id))
  setTimeout(end, lifetimeMs)
}

async function undoBulkEdit(undoId: string): Promise<void> {
  try {
    const { restored } = await callApi('POST /api/profiles/bulk-edit/{undoId}/undo', { params: { undoId } })
    const description = said(
      restored,
      'usuário voltou ao que tinha antes.',
      'usuários voltaram ao que tinham antes.',
    )
    showToast({ kind: 'success', title: 'Alteração desfeita', description })
  } catch (error) {
    showToast(failureNotice('Não foi possível desfazer a alteração', error))
  }
  void refreshUsers()
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type Entitlements, NO_ENTITLEMENTS } from '#contract/held-lists.ts'
import { adminMessages, hasPassed, UNDO_SECONDS } from '#contract/user-rules.ts'
import type { BulkEdit, BulkEditResult } from '#contract/users.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { isConflict } from '#web/http/send-request.ts'
import { onAuthStateChange } from '#web/session/session.ts'
import { closeToast, showToast, type ToastContent } from '#web/ui/toast.tsx'
import { useSettled } from '#web/ui/use-settled.ts'
import { failureNotice, useSubmit } from '#web/ui/use-submit.ts'
import { rememberTicks } from './access-templates.ts'
import { callOnce, isOutcomeUnknown, useUnknownOutcome } from './call-once.ts'
import { firstOf } from './delete-users.ts'
import { isSame } from './entitlements.tsx'
import { inWords, type Selection, selectionSize, withoutLeavers } from './selection.ts'
import { refreshUsers } from './user-queries.ts'

export type BulkEditForm = ReturnType<typeof useBulkEdit>

/** What is chosen and ticked for many people, what a dry run says of it, and how it is saved: all or nothing. */
export function useBulkEdit(chosen: Selection, onSaved: () => void) {
  const [action, setAction] = useState<BulkEdit['action']>('add')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  const [validUntil, setValidUntil] = useState<string>()
  const [goneIds, setGoneIds] = useState<ReadonlySet<string>>(new Set())
  const [refusal, setRefusal] = useState<string>()
  // The table follows every change; whom the dialog is about changes only when it says so.
  const [opened, setOpened] = useState(chosen)
  const latest = useRef(chosen)
  useEffect(() => {
    latest.current = chosen
  }, [chosen])
  const readSelectionAgain = async () => {
    await refreshUsers()
    setOpened(latest.current)
  }
  const selection = useMemo(() => withoutLeavers(opened, (id) => goneIds.has(id)), [opened, goneIds])
  const edit = useMemo(
    () => bulkEditOf(selection, action, ticked, validUntil),
    [selection, action, ticked, validUntil],
  )
  const lack = whatLacks(selection, edit)

  /** Leaves out whom a conflict names, and returns whether it names any. */
  const leaveOut = (conflict: Error, told: BulkEdit) => {
    const ids = goneFrom(conflict, told)
    setGoneIds((before) => new Set([...before, ...ids]))
    return ids.length > 0
  }
  const settled = useSettled(edit)
  const isSettled = JSON.stringify(edit) === JSON.stringify(settled)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['bulk-edit-preview', settled],
    queryFn: async ({ signal }) => {
      try {
        const query = { dryRun: true }
        return await callApi('POST /api/profiles/bulk-edit', { query, body: settled, signal })
      } catch (conflict) {
        if (isConflict(conflict)) {
          leaveOut(conflict, settled)
          // The table then knows how many match now, and so does the selection.
          await readSelectionAgain()
        }
        throw conflict
      }
    },
    enabled: !lack && isSettled,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const isCalculating = !lack && (isFetching || !isSettled)
  const effect = lack || error ? undefined : data

  const { isUnknown, noteFailure } = useUnknownOutcome()
  const { submit, isBusy } = useSubmit({
    send: (body: BulkEdit) => {
      setRefusal(undefined)
      return callOnce('POST /api/profiles/bulk-edit', { body })
    },
    onDone: (result, body) => {
      announceBulkEdit(body.action, result)
      if (body.action === 'add') rememberTicks(ticked)
      onSaved()
    },
    onFailed: async (failure, body) => {
      showToast(failureNotice(adminMessages.bulkFailed, failure))
      noteFailure(failure, body)
      if (!isConflict(failure)) return
      setRefusal(failure.message)
      const isSomeoneGone = leaveOut(failure, body)
      await readSelectionAgain()
      if (!isSomeoneGone) void refetch()
    },
    onSettled: refreshUsers,
  })
  return {
    selection,
    action,
    setAction,
    ticked,
    setTicked,
    validUntil,
    setValidUntil,
    hasChanges: validUntil !== undefined || !isSame(ticked, NO_ENTITLEMENTS),
    /** What has to be there before there is an effect. */
    lack,
    /** The last one that was told; while another is calculated, that of the edit before. */
    effect,
    isCalculating,
    failure: lack || isCalculating ? undefined : (error ?? undefined),
    recalculate: () => void refetch(),
    goneCount: goneIds.size,
    refusal,
    isSaving: isBusy,
    isOutcomeUnknown: isUnknown,
    submit: () => {
      if (lack) showToast({ kind: 'error', title: lack })
      // Nothing is saved whose effect has not been told.
      else if (effect && !isCalculating) void submit(asPreviewed(edit, effect))
    },
  }
}

function whatLacks(selection: Selection, edit: BulkEdit): string | undefined {
  if (selectionSize(selection) === 0) return adminMessages.deleteNothing
  if (edit.action !== 'validity')
    return edit.types || edit.marcas || edit.estados ? undefined : adminMessages.bulkNothing
  if (edit.valid_until === undefined) return adminMessages.bulkNoEnd
  return hasPassed(edit.valid_until ?? '', Date.now()) ? adminMessages.dayPassed : undefined
}

/**
 * A bulk edit of these people; lists in which nothing is ticked are left out.
 * @param validUntil a day, empty for an access without an end; undefined until one or the other is chosen
 */
export function bulkEditOf(
  selection: Selection,
  action: BulkEdit['action'],
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
  if (selection.kind === 'some') return { userIds: [...selection.profiles.keys()], ...change }
  const { filter, except, count } = selection
  return { allMatching: { filter, except, count }, ...change }
}

/** The edit, to be saved for those people alone of whom a dry run has told. */
export function asPreviewed(edit: BulkEdit, { fingerprint }: BulkEditResult): BulkEdit {
  return 'userIds' in edit ? edit : { ...edit, allMatching: { ...edit.allMatching, fingerprint } }
}

/** The ids of those whom a conflict says to be gone; it names them by their place in the edit. */
export function goneFrom(conflict: Error, edit: BulkEdit): string[] {
  if (!('userIds' in edit) || !(conflict instanceof ApiError)) return []
  const places = new Set(conflict.problem.fields?.map(({ path }) => path))
  return edit.userIds.filter((_, index) => places.has(`userIds.${index}`))
}

/** '1 usuário já não existe e saiu da seleção.' */
export function describeGone(count: number): string {
  return inWords(
    count,
    'usuário já não existe e saiu da seleção.',
    'usuários já não existem e saíram da seleção.',
  )
}

type GainsAndLosses = Record<'gains' | 'loses', readonly [one: string, several: string]>
const OF_LISTS: GainsAndLosses = { gains: ['ganha', 'ganham'], loses: ['perde', 'perdem'] }
const OF_TIME: GainsAndLosses = {
  gains: ['fica com mais tempo', 'ficam com mais tempo'],
  loses: ['fica com menos tempo', 'ficam com menos tempo'],
}

/** What a dry run has counted: '12 ganham, 0 perdem, 3 ficam como estão'. Whoever takes something from themselves is told. */
export function describePreview(
  { gaining, losing, unchanged, includesSelf }: BulkEditResult,
  action: BulkEdit['action'] = 'add',
): string {
  const { gains, loses } = action === 'validity' ? OF_TIME : OF_LISTS
  const counts = [
    inWords(gaining, ...gains),
    inWords(losing, ...loses),
    inWords(unchanged, 'fica como está', 'ficam como estão'),
  ].join(', ')
  return includesSelf ? `${counts}. Inclui a sua própria conta.` : counts
}

/** What became of those selected: '12 mudaram, 3 já estavam assim.' */
function describeOutcome({ selected, unchanged }: BulkEditResult): string {
  const changed = inWords(selected - unchanged, 'mudou', 'mudaram')
  return unchanged === 0
    ? `${changed}.`
    : `${changed}, ${inWords(unchanged, 'já estava', 'já estavam')} assim.`
}

/** Says that a bulk edit is done, and offers for 30 seconds to take it back. */
function announceBulkEdit(action: BulkEdit['action'], result: BulkEditResult): void {
  const { undoId, undoSeconds, selected, unchanged } = result
  const notice = { kind: 'success', title: adminMessages.bulkDone(action, selected) } as const
  if (undoId === null || selected === unchanged)
    return void showToast({ ...notice, description: 'Ninguém mudou: todos já estavam assim.' })
  announceUndoable({ ...notice, description: describeOutcome(result) }, { undoId, undoSeconds })
}

/** Says that something is done, and offers to take it back for as long as that can be done: its answer may be late. */
export function announceUndoable(
  notice: ToastContent & { description: string },
  { undoId, undoSeconds }: { undoId: string; undoSeconds: number },
): void {
  if (undoSeconds === 0)
    return void showToast({
      ...notice,
      description: `${notice.description} O prazo de ${UNDO_SECONDS} segundos para desfazer já terminou.`,
    })
  const lifetimeMs = undoSeconds * 1_000
  const id = showToast({
    ...notice,
    lifetimeMs,
    action: { label: 'Desfazer', run: () => void undoBulkEdit(undoId) },
  })
  // The next person at this browser has nothing to take back.
  const end = onAuthStateChange((event) => event === 'SIGNED_OUT' && closeToast(id))
  setTimeout(end, lifetimeMs)
}

async function undoBulkEdit(undoId: string): Promise<void> {
  try {
    showToast(
      describeUndo(await callOnce('POST /api/profiles/bulk-edit/{undoId}/undo', { params: { undoId } })),
    )
  } catch (error) {
    const notice = failureNotice('Não foi possível desfazer a alteração', error)
    // Under the same key: what has been undone already is only told.
    const again = { action: { label: 'Tentar novamente', run: () => void undoBulkEdit(undoId) } }
    showToast(isOutcomeUnknown(error) ? { ...notice, ...again, lifetimeMs: UNDO_SECONDS * 1_000 } : notice)
  }
  void refreshUsers()
}

/** Who has back what they had before, and by name who has not. */
export function describeUndo({ restored, changed }: { restored: number; changed: string[] }): ToastContent {
  const what = ['usuário voltou ao que tinha antes.', 'usuários voltaram ao que tinham antes.'] as const
  const done = inWords(restored, ...what)
  if (changed.length === 0) return { kind: 'success', title: 'Alteração desfeita', description: done }
  const stays =
    changed.length === 1
      ? 'foi alterado depois e ficou como está'
      : 'foram alterados depois e ficaram como estão'
  const description = `${done} ${firstOf(changed)} ${stays}.`
  return { kind: 'warning', title: 'Alteração desfeita em parte', description }
}

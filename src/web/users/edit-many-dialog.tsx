import { useMemo, useState } from 'react'
import { type Entitlements, LISTS, NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import { adminMessages, checkEndDay } from '#contract/user-rules.ts'
import type { BulkEdit } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { Checkbox, RadioGroup } from '#web/ui/choices.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { setLastEntitlements } from './access-templates.ts'
import { addFingerprint, toTarget } from './bulk-edit.ts'
import { describeFailure, RefusedNotice, useOpenedSelection } from './bulk-edit-dialog.tsx'
import { describeEffects } from './describe-effect.ts'
import { GuardedFormDialog } from './dialog-notices.tsx'
import { isSame, ValidUntil } from './entitlements.tsx'
import { EntitlementLists } from './fill-from.tsx'
import { countSelected, formatUserCount, nameSelection, type SelectionDialogProps } from './selection.ts'
import { EffectLine, useDryRun } from './use-dry-run.tsx'

type Action = Extract<BulkEdit['action'], 'add' | 'replace'>

const ACTIONS: readonly { value: Action; label: string; hint: string }[] = [
  { value: 'add', label: 'Acrescentar', hint: 'Ninguém perde nada.' },
  { value: 'replace', label: 'Substituir por', hint: 'Todos ficam só com o que está marcado.' },
]

/** 'Editar acesso' of many people: all lists and the last day at once, with the effect in words. */
export function EditManyDialog({ selection: chosen, onClose, onDone }: SelectionDialogProps) {
  const [action, setAction] = useState<Action>('add')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  const [changesEnd, setChangesEnd] = useState(false)
  const [end, setEnd] = useState<string>()
  const { selection, deletedCount, excludeDeleted } = useOpenedSelection(chosen)
  const isEmpty = isSame(ticked, NO_ENTITLEMENTS)
  const validUntil = changesEnd ? end : undefined
  const missing =
    (isEmpty && validUntil === undefined && adminMessages.bulkNothing) ||
    (changesEnd && end === undefined && adminMessages.bulkNoEnd) ||
    checkEndDay(validUntil ?? '', Date.now())
  const edit = useMemo(
    (): BulkEdit => ({
      ...toTarget(selection),
      // Nothing ticked: only the last day changes.
      ...(isEmpty ? { action: 'validity' } : { action, ...ticked }),
      ...(validUntil !== undefined && { valid_until: validUntil || null }),
    }),
    [selection, action, ticked, isEmpty, validUntil],
  )
  const form = useDryRun({
    body: missing || countSelected(selection) === 0 ? undefined : edit,
    dryRun: (body, signal) =>
      callApi('POST /api/profiles/bulk-edit', { query: { dryRun: true }, body, signal }),
    send: (body, effect) => retryCall('POST /api/profiles/bulk-edit', { body: addFingerprint(body, effect) }),
    onDone: (result) => {
      const changed = result.selected - result.unchanged
      const title = changed > 0 ? `Acesso alterado para ${formatUserCount(changed)}` : 'Ninguém mudou'
      announceUndoable(
        { kind: 'success', title, description: describeEffects(result, validUntil, true) },
        result,
      )
      if (!isEmpty) setLastEntitlements(ticked)
      onClose()
      onDone()
    },
    failed: adminMessages.bulkFailed,
    onRefused: excludeDeleted,
  })
  const { effect, failure, isSaving, refusal } = form
  const unless =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) =>
      !isSaving && set(value)
  return (
    <GuardedFormDialog
      title="Editar acesso"
      description={nameSelection(selection)}
      confirmLabel="Salvar"
      isBusy={isSaving}
      isWaiting={form.isCalculating}
      isDisabled={failure !== undefined}
      hasUnsavedChanges={!isEmpty || changesEnd}
      isOutcomeUnknown={form.isOutcomeUnknown}
      onSubmit={() => (missing ? showToast({ kind: 'error', title: missing }) : form.submit())}
      onCancel={onClose}
      note={
        <EffectLine isMuted={form.isCalculating} failure={failure} recalculate={form.recalculate}>
          {isSaving
            ? `Alterando ${formatUserCount(countSelected(selection))}…`
            : missing
              ? 'Marque o que deve mudar para ver o efeito antes de salvar.'
              : effect
                ? describeEffects(effect, validUntil)
                : describeFailure(failure)}
        </EffectLine>
      }
    >
      <RefusedNotice refusal={refusal} deletedCount={deletedCount} />
      <RadioGroup<Action>
        label="O que fazer com o acesso que já têm"
        options={ACTIONS}
        value={action}
        onChange={unless(setAction)}
        className="sm:grid-cols-2"
      />
      <EntitlementLists
        lists={LISTS}
        ticked={ticked}
        held={NO_ENTITLEMENTS}
        onChange={unless(setTicked)}
        canBeSaved
      />
      <Checkbox
        label="Mudar também a validade"
        checked={changesEnd}
        onChange={({ target }) => unless(setChangesEnd)(target.checked)}
      />
      {changesEnd && (
        <ValidUntil value={end} error={checkEndDay(end ?? '', Date.now())} onChange={unless(setEnd)} />
      )}
    </GuardedFormDialog>
  )
}

import { useEffect, useMemo, useRef, useState } from 'react'
import { type Entitlements, LISTS, type ListName, NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import { adminMessages, checkEndDay } from '#contract/user-rules.ts'
import type { BulkEdit } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { isConflict } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Checkbox, RadioGroup } from '#web/ui/choices.tsx'
import { TabList, TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { setLastEntitlements } from './access-templates.ts'
import {
  addFingerprint,
  announceBulkEdit,
  type BulkAction,
  buildBulkEdit,
  describeDeleted,
  findDeletedIds,
  missingItems,
} from './bulk-edit.ts'
import { NoteLines, useSecondPress } from './change-notes.tsx'
import { describeEffects } from './describe-effect.ts'
import { GuardedFormDialog } from './dialog-notices.tsx'
import { EntitlementList, isSame, LIST_STYLES, ValidUntil } from './entitlements.tsx'
import { FillFrom } from './fill-from.tsx'
import {
  countSelected,
  deselectMissing,
  formatUserCount,
  nameSelection,
  type Selection,
  type SelectionDialogProps,
} from './selection.ts'
import { EffectLine, useDryRun } from './use-dry-run.tsx'
import { refreshUsers } from './user-queries.ts'

const ACTIONS: readonly { value: BulkAction; label: string }[] = [
  { value: 'add', label: adminMessages.bulkAdd },
  { value: 'remove', label: adminMessages.bulkRemove },
]
const SUBMIT = { add: 'Adicionar', remove: 'Remover', replace: 'Substituir', validity: 'Mudar prazo' }

/** 'Alteração em Massa': adds, removes or replaces entitlements of many people, or sets an end. */
export function BulkEditDialog({ selection: chosen, onClose, onDone }: SelectionDialogProps) {
  const [action, setAction] = useState<BulkAction>('add')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  const [changesEnd, setChangesEnd] = useState(false)
  const [end, setEnd] = useState<string>()
  const { selection, deletedCount, excludeDeleted } = useOpenedSelection(chosen)
  const validUntil = changesEnd ? end : undefined
  const edit = useMemo(
    () => buildBulkEdit(selection, action, ticked, validUntil),
    [selection, action, ticked, validUntil],
  )
  const missing = changesEnd && end === undefined ? adminMessages.bulkNoEnd : missingItems(selection, edit)
  const form = useDryRun({
    body: missing ? undefined : edit,
    dryRun: (body, signal) =>
      callApi('POST /api/profiles/bulk-edit', { query: { dryRun: true }, body, signal }),
    send: (body, effect) => retryCall('POST /api/profiles/bulk-edit', { body: addFingerprint(body, effect) }),
    onDone: (result) => {
      announceBulkEdit(edit, result, selection)
      if (edit.action === 'add' || edit.action === 'replace') setLastEntitlements(ticked)
      onClose()
      onDone()
    },
    failed: adminMessages.bulkFailed,
    onRefused: excludeDeleted,
  })
  const { effect, failure, isSaving, refusal } = form
  const { isAsking, press } = useSecondPress(effect, effect?.notes)
  const held = action === 'remove' ? undefined : NO_ENTITLEMENTS
  const unless =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) =>
      !isSaving && set(value)
  return (
    <GuardedFormDialog
      title="Alteração em Massa"
      description={nameSelection(selection)}
      confirmLabel={SUBMIT[edit.action] + (isAsking ? ' mesmo assim' : '')}
      question={String(isAsking)}
      isBusy={isSaving}
      isWaiting={form.isCalculating}
      isDisabled={failure !== undefined}
      hasUnsavedChanges={changesEnd || !isSame(ticked, NO_ENTITLEMENTS)}
      isOutcomeUnknown={form.isOutcomeUnknown}
      onSubmit={() => (missing ? showToast({ kind: 'error', title: missing }) : press(form.submit))}
      onCancel={onClose}
      note={<NoteLines notes={effect?.notes} />}
    >
      <RefusedNotice refusal={refusal} deletedCount={deletedCount} />
      <RadioGroup<BulkAction>
        label="Ação"
        options={ACTIONS}
        value={action}
        onChange={unless(setAction)}
        className="sm:grid-cols-2"
      />
      <ListTabs ticked={ticked} held={held} onChange={unless(setTicked)} />
      <EffectLine isMuted={form.isCalculating} failure={failure} recalculate={form.recalculate}>
        {isSaving
          ? `Alterando ${formatUserCount(countSelected(selection))}…`
          : missing
            ? formatHint(missing)
            : effect
              ? describeEffects(effect, edit.valid_until)
              : describeFailure(failure)}
      </EffectLine>
      <details className="rounded-lg border border-line px-3">
        <summary className="cursor-pointer py-2.5 font-medium text-sm">
          Mais opções: substituir, validade e modelos
        </summary>
        <div className="flex flex-col gap-2 pb-3">
          <Checkbox
            label="Substituir por: todos ficam só com o que está marcado"
            checked={action === 'replace'}
            onChange={({ target }) => unless(setAction)(target.checked ? 'replace' : 'add')}
          />
          <Checkbox
            label="Mudar a validade do acesso"
            checked={changesEnd}
            onChange={({ target }) => unless(setChangesEnd)(target.checked)}
          />
          {changesEnd && (
            <ValidUntil value={end} error={checkEndDay(end ?? '', Date.now())} onChange={unless(setEnd)} />
          )}
          <FillFrom lists={LISTS} ticked={ticked} held={held} onChange={unless(setTicked)} />
        </div>
      </details>
    </GuardedFormDialog>
  )
}

/** Why the last save was refused, and who has dropped out of the selection. */
function RefusedNotice({ refusal, deletedCount }: { refusal: string | undefined; deletedCount: number }) {
  if (!refusal && deletedCount === 0) return null
  return (
    <Alert kind="warning" {...(refusal && { title: 'Nada foi alterado' })}>
      {deletedCount > 0 ? describeDeleted(deletedCount) : refusal}{' '}
      {refusal && 'Confira o efeito abaixo e tente novamente.'}
    </Alert>
  )
}

/** Keeps the selection as it was on opening; only a conflict updates it. */
function useOpenedSelection(chosen: Selection) {
  const [opened, setOpened] = useState(chosen)
  const [deletedIds, setDeletedIds] = useState<ReadonlySet<string>>(new Set())
  const latest = useRef(chosen)
  useEffect(() => {
    latest.current = chosen
  }, [chosen])
  const selection = useMemo(() => deselectMissing(opened, (id) => deletedIds.has(id)), [opened, deletedIds])
  /** Removes the people named by a conflict from the selection. */
  const excludeDeleted = async (conflict: Error, edit: BulkEdit) => {
    const ids = findDeletedIds(conflict, edit)
    setDeletedIds((before) => new Set([...before, ...ids]))
    // The table's selection is up to date only after the refetch.
    await refreshUsers()
    setOpened(latest.current)
    return ids.length === 0
  }
  return { selection, deletedCount: deletedIds.size, excludeDeleted }
}

interface ListTabsProps {
  held: Entitlements | undefined
  ticked: Entitlements
  onChange: (ticked: Entitlements) => void
}

/** The tabs Tipos, Marcas and Estados, each with the number of ticked items. */
function ListTabs({ ticked, held, onChange }: ListTabsProps) {
  const [tab, setTab] = useState<ListName>('types')
  const tabs = LISTS.map((id) => ({
    id,
    label: LIST_STYLES[id].title + (ticked[id].length > 0 ? ` (${ticked[id].length})` : ''),
  }))
  return (
    <Tabs selectedId={tab} onSelect={(id) => setTab(id as ListName)}>
      <TabList label="O que alterar" tabs={tabs} selectedId={tab} className="border-line border-b" />
      {/* As tall as the longest list, to avoid layout shift between tabs. */}
      <TabPanel id={tab} className="min-h-58 pt-2 sm:min-h-40">
        <EntitlementList name={tab} ticked={ticked} held={held} onChange={onChange} isLegendHidden />
      </TabPanel>
    </Tabs>
  )
}

/** An empty form shows a hint rather than an error until the first submit. */
function formatHint(missing: string): string {
  if (missing !== adminMessages.bulkNothing) return missing.replace(/\.?$/, '.')
  return 'Marque o que deve mudar para ver o efeito antes de salvar.'
}

function describeFailure(failure: Error | undefined): string {
  if (!failure) return 'Calculando o efeito…'
  return isConflict(failure) ? failure.message : `Não foi possível calcular o efeito. ${failure.message}`
}

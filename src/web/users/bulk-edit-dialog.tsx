import { useEffect, useMemo, useRef, useState } from 'react'
import { type Entitlements, LISTS, type ListName, NO_ENTITLEMENTS } from '#contract/held-lists.ts'
import { adminMessages } from '#contract/user-rules.ts'
import type { BulkEdit } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { isConflict } from '#web/http/send-request.ts'
import { Alert } from '#web/ui/alert.tsx'
import { RadioGroup } from '#web/ui/choices.tsx'
import { TabList, TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { rememberTicks } from './access-templates.ts'
import {
  announceBulkEdit,
  asPreviewed,
  bulkEditOf,
  describeGone,
  describePreview,
  goneFrom,
  whatLacks,
} from './bulk-edit.ts'
import { callOnce } from './call-once.ts'
import { AskingDialog } from './dialog-notices.tsx'
import { EntitlementList, isSame, LOOKS, ValidUntil } from './entitlements.tsx'
import { FillFrom } from './fill-from.tsx'
import {
  type Selection,
  type SelectionDialogProps,
  selectionInWords,
  selectionSize,
  usersInWords,
  withoutLeavers,
} from './selection.ts'
import { EffectLine, useDryRun } from './use-dry-run.tsx'
import { refreshUsers } from './user-queries.ts'

const ACTIONS: readonly { value: BulkEdit['action']; label: string }[] = [
  { value: 'add', label: adminMessages.bulkAdd },
  { value: 'remove', label: adminMessages.bulkRemove },
  { value: 'validity', label: adminMessages.bulkValidity },
]
const SUBMIT = { add: 'Adicionar', remove: 'Remover', validity: 'Mudar prazo' }

/** 'Alteração em Massa': adds or removes entitlements of many people, or sets how long access is valid. */
export function BulkEditDialog({ selection: chosen, onClose, onDone }: SelectionDialogProps) {
  const [action, setAction] = useState<BulkEdit['action']>('add')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  const [validUntil, setValidUntil] = useState<string>()
  const { selection, goneCount, leaveOut } = useOpenedSelection(chosen)
  const edit = useMemo(
    () => bulkEditOf(selection, action, ticked, validUntil),
    [selection, action, ticked, validUntil],
  )
  const lack = whatLacks(selection, edit)
  const form = useDryRun({
    body: lack ? undefined : edit,
    dryRun: (body, signal) =>
      callApi('POST /api/profiles/bulk-edit', { query: { dryRun: true }, body, signal }),
    send: (body, effect) => callOnce('POST /api/profiles/bulk-edit', { body: asPreviewed(body, effect) }),
    onDone: (result) => {
      announceBulkEdit(action, result)
      if (action === 'add') rememberTicks(ticked)
      onClose()
      onDone()
    },
    failed: adminMessages.bulkFailed,
    onRefused: leaveOut,
  })
  const { effect, failure, isSaving, refusal } = form
  const held = action === 'add' ? NO_ENTITLEMENTS : undefined
  const tick = (next: Entitlements) => !isSaving && setTicked(next)
  return (
    <AskingDialog
      title="Alteração em Massa"
      description={`${selectionInWords(selection)}.`}
      confirmLabel={SUBMIT[action]}
      isBusy={isSaving}
      isWaiting={form.isCalculating}
      isDisabled={failure !== undefined}
      wouldLose={validUntil !== undefined || !isSame(ticked, NO_ENTITLEMENTS)}
      isOutcomeUnknown={form.isOutcomeUnknown}
      onSubmit={() => (lack ? showToast({ kind: 'error', title: lack }) : form.submit())}
      onCancel={onClose}
    >
      {(refusal || goneCount > 0) && (
        <Alert kind="warning" {...(refusal && { title: 'Nada foi alterado' })}>
          {goneCount > 0 ? describeGone(goneCount) : refusal}{' '}
          {refusal && 'Confira o efeito abaixo e tente novamente.'}
        </Alert>
      )}
      <RadioGroup<BulkEdit['action']>
        label="Ação"
        options={ACTIONS}
        value={action}
        onChange={(next) => !isSaving && setAction(next)}
        className="sm:grid-cols-2"
      />
      {action === 'validity' ? (
        <ValidUntil
          value={validUntil}
          error={lack === adminMessages.dayPassed ? lack : undefined}
          onChange={(day) => !isSaving && setValidUntil(day)}
        />
      ) : (
        <>
          <FillFrom lists={LISTS} ticked={ticked} held={held} onChange={tick} canBeSaved />
          <ListTabs ticked={ticked} held={held} onChange={tick} />
        </>
      )}
      <EffectLine isMuted={form.isCalculating} failure={failure} recalculate={form.recalculate}>
        {isSaving
          ? `Alterando ${usersInWords(selectionSize(selection))}…`
          : lack
            ? hintOf(lack)
            : effect
              ? describePreview(effect, action)
              : sentenceOf(failure)}
      </EffectLine>
    </AskingDialog>
  )
}

/** Keeps the selection as it was on opening; only a conflict updates it. */
function useOpenedSelection(chosen: Selection) {
  const [opened, setOpened] = useState(chosen)
  const [goneIds, setGoneIds] = useState<ReadonlySet<string>>(new Set())
  const latest = useRef(chosen)
  useEffect(() => {
    latest.current = chosen
  }, [chosen])
  const selection = useMemo(() => withoutLeavers(opened, (id) => goneIds.has(id)), [opened, goneIds])
  /** Removes the people named by a conflict from the selection. */
  const leaveOut = async (conflict: Error, told: BulkEdit) => {
    const ids = goneFrom(conflict, told)
    setGoneIds((before) => new Set([...before, ...ids]))
    // The table's selection is up to date only after the refetch.
    await refreshUsers()
    setOpened(latest.current)
    return ids.length === 0
  }
  return { selection, goneCount: goneIds.size, leaveOut }
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
    label: LOOKS[id].title + (ticked[id].length > 0 ? ` (${ticked[id].length})` : ''),
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
function hintOf(lack: string): string {
  if (lack !== adminMessages.bulkNothing) return lack.replace(/\.?$/, '.')
  return 'Marque o que deve mudar para ver o efeito antes de salvar.'
}

function sentenceOf(failure: Error | undefined): string {
  if (!failure) return 'Calculando o efeito…'
  return isConflict(failure) ? failure.message : `Não foi possível calcular o efeito. ${failure.message}`
}

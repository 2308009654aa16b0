import { type FormEvent, useId, useState } from 'react'
import { type Entitlements, LISTS, type ListName, NO_ENTITLEMENTS } from '#contract/held-lists.ts'
import { adminMessages } from '#contract/user-rules.ts'
import type { BulkEdit } from '#contract/users.ts'
import { isConflict } from '#web/http/send-request.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { RadioGroup } from '#web/ui/choices.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { TabList, tabPanelProps } from '#web/ui/tabs.tsx'
import { type BulkEditForm, describeGone, describePreview, useBulkEdit } from './bulk-edit.ts'
import { AskingDialog } from './dialog-notices.tsx'
import { EntitlementList, LOOKS, ValidUntil } from './entitlements.tsx'
import { FillFrom } from './fill-from.tsx'
import { type SelectionDialogProps, selectionInWords, selectionSize, usersInWords } from './selection.ts'

const TITLE = 'Alteração em Massa'
const ACTIONS: readonly { value: BulkEdit['action']; label: string }[] = [
  { value: 'add', label: adminMessages.bulkAdd },
  { value: 'remove', label: adminMessages.bulkRemove },
  { value: 'validity', label: adminMessages.bulkValidity },
]
const SUBMIT = { add: 'Adicionar', remove: 'Remover', validity: 'Mudar prazo' }

/** 'Alteração em Massa': adds entitlements to many people, takes them away, or says until when their access is valid. */
export function BulkEditDialog({ selection, onClose, onDone }: SelectionDialogProps) {
  const formId = useId()
  const form = useBulkEdit(selection, () => {
    onClose()
    onDone()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.submit()
  }
  return (
    <AskingDialog
      title={TITLE}
      description={`${selectionInWords(form.selection)}.`}
      onClose={form.isSaving ? undefined : onClose}
      wouldLose={form.hasChanges}
      isOutcomeUnknown={form.isOutcomeUnknown}
      actions={(close) => (
        <>
          <Button variant="secondary" onClick={close}>
            Cancelar
          </Button>
          <Button
            type="submit"
            form={formId}
            isBusy={form.isSaving || form.isCalculating}
            disabled={form.failure !== undefined}
          >
            {SUBMIT[form.action]}
          </Button>
        </>
      )}
    >
      <form id={formId} onSubmit={submit} aria-label={TITLE} className="space-y-4">
        {(form.refusal || form.goneCount > 0) && (
          <Alert kind="warning" {...(form.refusal && { title: 'Nada foi alterado' })}>
            {form.goneCount > 0 ? describeGone(form.goneCount) : form.refusal}{' '}
            {form.refusal && 'Confira o efeito abaixo e tente novamente.'}
          </Alert>
        )}
        <RadioGroup<BulkEdit['action']>
          label="Ação"
          options={ACTIONS}
          value={form.action}
          onChange={(action) => !form.isSaving && form.setAction(action)}
          className="sm:grid-cols-2"
        />
        {form.action === 'validity' ? (
          <ValidUntil
            value={form.validUntil}
            error={form.lack === adminMessages.dayPassed ? form.lack : undefined}
            onChange={(day) => !form.isSaving && form.setValidUntil(day)}
          />
        ) : (
          <>
            <FillFrom
              lists={LISTS}
              ticked={form.ticked}
              held={form.action === 'add' ? NO_ENTITLEMENTS : undefined}
              onChange={(ticked) => !form.isSaving && form.setTicked(ticked)}
              canBeSaved
            />
            <ListTabs
              held={form.action === 'add' ? NO_ENTITLEMENTS : undefined}
              ticked={form.ticked}
              onChange={(ticked) => !form.isSaving && form.setTicked(ticked)}
            />
          </>
        )}
        <Preview {...form} />
      </form>
    </AskingDialog>
  )
}

interface ListTabsProps {
  held: Entitlements | undefined
  ticked: Entitlements
  onChange: (ticked: Entitlements) => void
}

/** The tabs Tipos, Marcas and Estados, each saying how much is ticked in it. */
function ListTabs({ ticked, held, onChange }: ListTabsProps) {
  const idPrefix = useId()
  const [tab, setTab] = useState<ListName>('types')
  const tabs = LISTS.map((id) => ({
    id,
    label: LOOKS[id].title + (ticked[id].length > 0 ? ` (${ticked[id].length})` : ''),
  }))
  return (
    <div>
      <TabList
        label="O que alterar"
        idPrefix={idPrefix}
        tabs={tabs}
        selectedId={tab}
        onSelect={(id) => setTab(id as ListName)}
        className="border-line border-b"
      />
      {/* As high as the longest list, so that nothing jumps from tab to tab. */}
      <div {...tabPanelProps(idPrefix, tab)} className="min-h-58 pt-2 sm:min-h-40">
        <EntitlementList name={tab} ticked={ticked} held={held} onChange={onChange} isLegendHidden />
      </div>
    </div>
  )
}

/** Says what a bulk edit would do, or that it is being done, and offers to calculate it again where that failed. */
function Preview({
  selection,
  action,
  lack,
  effect,
  failure,
  isCalculating,
  isSaving,
  recalculate,
}: BulkEditForm) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg bg-subtle px-3 py-2.5 text-sm">
      <p role="status" className={classNames('min-h-5 tabular-nums', isCalculating && 'text-muted')}>
        {isSaving
          ? `Alterando ${usersInWords(selectionSize(selection))}…`
          : lack
            ? hintOf(lack)
            : effect
              ? describePreview(effect, action)
              : sentenceOf(failure)}
      </p>
      {failure && (
        <Button variant="secondary" onClick={recalculate}>
          Calcular novamente
        </Button>
      )}
    </div>
  )
}

/** What is not ticked yet is no fault before somebody has tried to save. */
function hintOf(lack: string): string {
  if (lack !== adminMessages.bulkNothing) return lack.replace(/\.?$/, '.')
  return 'Marque o que deve mudar para ver o efeito antes de salvar.'
}

function sentenceOf(failure: Error | undefined): string {
  if (!failure) return 'Calculando o efeito…'
  return isConflict(failure) ? failure.message : `Não foi possível calcular o efeito. ${failure.message}`
}

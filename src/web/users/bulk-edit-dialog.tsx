import { type FormEvent, useId, useState } from 'react'
import { adminMessages, type BulkEdit } from '#contract/users.ts'
import { isConflict } from '#web/http/send-request.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { RadioGroup } from '#web/ui/choices.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { TabList, tabPanelProps } from '#web/ui/tabs.tsx'
import { describeGone, describePreview } from './bulk-edit.ts'
import type { ListName } from './describe-change.ts'
import { EntitlementList, type Entitlements, LIST_TITLES } from './entitlements.tsx'
import { type Selection, selectionInWords } from './selection.ts'
import { type BulkEditForm, useBulkEdit } from './use-bulk-edit.ts'

const TITLE = 'Alteração em Massa'
const ACTIONS: readonly { value: BulkEdit['action']; label: string }[] = [
  { value: 'add', label: adminMessages.bulkAdd },
  { value: 'remove', label: adminMessages.bulkRemove },
]

interface BulkEditDialogProps {
  selection: Selection
  onClose: () => void
  onDone: () => void
}

/** 'Alteração em Massa': adds entitlements to many people or takes them away. */
export function BulkEditDialog({ selection, onClose, onDone }: BulkEditDialogProps) {
  const formId = useId()
  const form = useBulkEdit(selection, () => {
    onClose()
    onDone()
  })
  const close = form.isSaving ? undefined : onClose
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.submit()
  }
  return (
    <Dialog
      isOpen
      width="wide"
      title={TITLE}
      description={`${selectionInWords(form.selection)}.`}
      onClose={close}
      actions={
        <>
          <Button variant="secondary" onClick={close}>
            Cancelar
          </Button>
          <Button
            type="submit"
            form={formId}
            isBusy={form.isSaving || form.preview.isCalculating}
            disabled={form.preview.failure !== undefined}
          >
            {form.action === 'add' ? 'Adicionar' : 'Remover'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} aria-label={TITLE} className="space-y-4">
        <WhatOthersDid {...form} />
        <RadioGroup<BulkEdit['action']>
          label="Ação"
          options={ACTIONS}
          value={form.action}
          onChange={(action) => !form.isSaving && form.setAction(action)}
          className="sm:grid-cols-2"
        />
        <ListTabs ticked={form.ticked} onChange={(ticked) => !form.isSaving && form.setTicked(ticked)} />
        <Preview {...form} />
      </form>
    </Dialog>
  )
}

/** What has kept an edit from being saved, or has made the selection smaller. */
function WhatOthersDid({ goneCount, refusal }: Pick<BulkEditForm, 'goneCount' | 'refusal'>) {
  if (!refusal && goneCount === 0) return null
  return (
    <Alert kind="warning" {...(refusal && { title: 'Nada foi alterado' })}>
      {goneCount > 0 ? describeGone(goneCount) : refusal}{' '}
      {refusal && 'Confira o efeito abaixo e tente novamente.'}
    </Alert>
  )
}

const LIST_TABS = Object.keys(LIST_TITLES) as ListName[]

interface ListTabsProps {
  ticked: Entitlements
  onChange: (ticked: Entitlements) => void
}

/** The tabs Tipos, Marcas and Estados, each saying how much is ticked in it. */
function ListTabs({ ticked, onChange }: ListTabsProps) {
  const idPrefix = useId()
  const [tab, setTab] = useState<ListName>('types')
  const tabs = LIST_TABS.map((name) => ({
    id: name,
    label: ticked[name].length > 0 ? `${LIST_TITLES[name]} (${ticked[name].length})` : LIST_TITLES[name],
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
        <EntitlementList name={tab} ticked={ticked} onChange={onChange} isLegendHidden />
      </div>
    </div>
  )
}

/** Says what a bulk edit would do, and offers to calculate it again where that failed. */
function Preview({ preview, lack }: Pick<BulkEditForm, 'preview' | 'lack'>) {
  const { failure, isCalculating, recalculate } = preview
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg bg-subtle px-3 py-2.5 text-sm">
      <p role="status" className={classNames('min-h-5 tabular-nums', isCalculating && 'text-muted')}>
        {lack ? hintOf(lack) : sentenceOf(preview)}
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
  if (lack !== adminMessages.bulkNothing) return `${lack}.`
  return 'Marque o que deve mudar para ver o efeito antes de salvar.'
}

function sentenceOf({ effect, failure }: BulkEditForm['preview']): string {
  if (failure)
    return isConflict(failure) ? failure.message : `Não foi possível calcular o efeito. ${failure.message}`
  return effect ? describePreview(effect) : 'Calculando o efeito…'
}

import { type FormEvent, useId } from 'react'
import type { BulkEdit } from '#contract/users.ts'
import { adminMessages } from '#contract/users.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { RadioGroup } from '#web/ui/radio-group.tsx'
import { describeGone } from './bulk-edit.ts'
import { BulkPreview } from './bulk-preview.tsx'
import { selectionInWords } from './count-words.ts'
import { ListTabs } from './list-tabs.tsx'
import type { Selection } from './selection.ts'
import { useBulkEdit } from './use-bulk-edit.ts'

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

/** 'Alteração em Massa': adds entitlements to many people or takes them away (SPEC section 2). */
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
        <Fields form={form} />
      </form>
    </Dialog>
  )
}

function Fields({ form }: { form: ReturnType<typeof useBulkEdit> }) {
  return (
    <>
      <WhatOthersDid {...form} />
      <RadioGroup<BulkEdit['action']>
        label="Ação"
        options={ACTIONS}
        value={form.action}
        onChange={(action) => !form.isSaving && form.setAction(action)}
        className="sm:grid-cols-2"
      />
      <ListTabs ticked={form.ticked} onChange={(ticked) => !form.isSaving && form.setTicked(ticked)} />
      <BulkPreview {...form} />
    </>
  )
}

/** What has kept an edit from being saved, or has made the selection smaller. */
function WhatOthersDid({ gone, refusal }: Pick<ReturnType<typeof useBulkEdit>, 'gone' | 'refusal'>) {
  if (!refusal && gone === 0) return null
  return (
    <Alert kind="warning" {...(refusal && { title: 'Nada foi alterado' })}>
      {gone > 0 ? describeGone(gone) : refusal} {refusal && 'Confira o efeito abaixo e tente novamente.'}
    </Alert>
  )
}

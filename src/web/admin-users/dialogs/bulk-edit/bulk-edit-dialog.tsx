import { type FormEvent, useId } from 'react'
import { adminMessages } from '#contract/admin-messages.ts'
import type { BulkEdit } from '#contract/profiles.ts'
import { selectionInWords } from '#web/admin-users/count-words.ts'
import type { Selection } from '#web/admin-users/selection.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { RadioGroup } from '#web/ui/radio-group.tsx'
import { BulkPreview } from './bulk-preview.tsx'
import { ListTabs } from './list-tabs.tsx'
import { useBulkEdit } from './use-bulk-edit.ts'

const TITLE = 'Alteração em Massa'
const ACTIONS: readonly { value: BulkEdit['action']; label: string }[] = [
  { value: 'add', label: adminMessages.bulkAdd },
  { value: 'remove', label: adminMessages.bulkRemove },
]
/** Those who match are counted anew; somebody picked who has gone has to be left out by hand. */
const ADVICE: Record<Selection['kind'], string> = {
  allMatching: 'Confira o efeito abaixo e tente novamente.',
  some: 'Feche, limpe a seleção e selecione de novo quem ainda existe.',
}

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
  const close = form.isBusy ? undefined : onClose
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void form.save()
  }
  return (
    <Dialog
      isOpen
      width="wide"
      title={TITLE}
      description={`${selectionInWords(selection)}.`}
      onClose={close}
      actions={
        <>
          <Button variant="secondary" onClick={close}>
            Cancelar
          </Button>
          <Button type="submit" form={formId} isBusy={form.isBusy}>
            {form.action === 'add' ? 'Adicionar' : 'Remover'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} aria-label={TITLE} className="space-y-4">
        <Fields form={form} advice={ADVICE[selection.kind]} />
      </form>
    </Dialog>
  )
}

function Fields({ form, advice }: { form: ReturnType<typeof useBulkEdit>; advice: string }) {
  return (
    <>
      {form.conflict && (
        <Alert kind="warning" title="Nada foi alterado">
          {form.conflict} {advice}
        </Alert>
      )}
      <RadioGroup<BulkEdit['action']>
        label="Ação"
        options={ACTIONS}
        value={form.action}
        onChange={(action) => !form.isBusy && form.setAction(action)}
        className="sm:grid-cols-2"
      />
      <ListTabs ticked={form.ticked} onChange={(ticked) => !form.isBusy && form.setTicked(ticked)} />
      <BulkPreview edit={form.edit} isEmpty={form.isEmpty} />
    </>
  )
}

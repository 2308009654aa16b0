import { useState } from 'react'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { type ListName, MAX_LABEL_LENGTH } from '#contract/entitlement-lists.ts'
import { isConflict } from '#web/http/send-request.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { FormDialog } from '#web/ui/dialog.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { getVersion, renameItem, showFailure, useItemUsage } from './change-catalogue.ts'

interface RenameDialogProps {
  list: ListName
  item: CatalogueItem
  onClose: () => void
}

/** 'Renomear': renames an item at the version seen on opening, and explains the effect on its holders. */
export function RenameDialog({ list, item, onClose }: RenameDialogProps) {
  const [label, setLabel] = useState(item.label)
  const [error, setError] = useState<string>()
  const [version, setVersion] = useState(getVersion)
  const { submit, isBusy } = useSubmit({
    send: () => renameItem(list, item.code, label.trim(), version),
    onDone(renamed) {
      const title = `“${item.label}” agora se chama “${label.trim()}”`
      announceUndoable({ kind: 'success', title }, renamed)
      onClose()
    },
    async onFailed(failure) {
      setError((failure as Error).message)
      await showFailure(failure)
      if (isConflict(failure)) setVersion(getVersion())
    },
  })
  const people = useItemUsage(list, item)?.people
  const holders =
    people === 1
      ? 'para a pessoa que a tem'
      : `para as ${people?.toLocaleString('pt-BR') ?? ''} pessoas que a têm`
  const effect =
    list === 'types'
      ? `O novo nome passa a valer em toda parte${people ? `, também ${holders}` : ''}. Quem tem a área continua a vê-la.`
      : `Só o nome muda; o código ${item.code}, que o Power BI recebe, fica como está.`
  return (
    <FormDialog
      title={`Renomear “${item.label}”`}
      description={effect}
      confirmLabel="Renomear"
      isBusy={isBusy}
      hasChanges={label !== item.label}
      onSubmit={() => void submit()}
      onCancel={onClose}
    >
      <TextField
        label="Nome"
        name="label"
        value={label}
        maxLength={MAX_LABEL_LENGTH}
        autoComplete="off"
        error={error}
        onChange={({ target }) => {
          setError(undefined)
          setLabel(target.value)
        }}
      />
    </FormDialog>
  )
}

import { useId, useState } from 'react'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { type ListName, MAX_LABEL_LENGTH } from '#contract/held-lists.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { useCatalogueUse, useRenaming } from './change-catalogue.ts'

interface RenameDialogProps {
  list: ListName
  item: CatalogueItem
  onClose: () => void
}

/** 'Renomear': a new name for an item, and what becomes of those who hold it. */
export function RenameDialog({ list, item, onClose }: RenameDialogProps) {
  const formId = useId()
  const [label, setLabel] = useState(item.label)
  const renaming = useRenaming(list, item, onClose)
  const people = useCatalogueUse(list, item)?.people
  const close = renaming.isBusy ? undefined : onClose
  const holders =
    people === 1
      ? 'para a pessoa que a tem'
      : `para as ${people?.toLocaleString('pt-BR') ?? ''} pessoas que a têm`
  const effect =
    list === 'types'
      ? `O novo nome passa a valer em toda parte${people ? `, também ${holders}` : ''}. Quem tem a área continua a vê-la.`
      : `Só o nome muda; o código ${item.code}, que o Power BI recebe, fica como está.`
  return (
    <Dialog
      isOpen
      title={`Renomear “${item.label}”`}
      description={effect}
      onClose={close}
      hasChanges={label !== item.label}
      actions={
        <>
          <Button variant="secondary" onClick={close}>
            Cancelar
          </Button>
          <Button type="submit" form={formId} isBusy={renaming.isBusy}>
            Renomear
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          renaming.rename(label.trim())
        }}
      >
        <TextField
          label="Nome"
          name="label"
          value={label}
          maxLength={MAX_LABEL_LENGTH}
          autoComplete="off"
          error={renaming.error}
          onChange={({ target }) => {
            renaming.forget()
            setLabel(target.value)
          }}
        />
      </form>
    </Dialog>
  )
}

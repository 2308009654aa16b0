import type { AccessType } from '#contract/catalogue.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'

interface RemoveDialogProps {
  type: AccessType
  isOpen: boolean
  onCancel: () => void
  onConfirm: () => void
}

/** Asks before an area loses its report. */
export function RemoveDialog({ type, isOpen, onCancel, onConfirm }: RemoveDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      title={`Remover o relatório de ${type}?`}
      description={`A área ${type} deixa de aparecer para todas as pessoas que têm acesso a ela. Para tê-la de volta, será preciso configurar o relatório de novo.`}
      onClose={onCancel}
      actions={
        <>
          <Button variant="secondary" onClick={onCancel}>
            Cancelar
          </Button>
          <Button variant="danger" onClick={onConfirm}>
            Remover relatório
          </Button>
        </>
      }
    />
  )
}

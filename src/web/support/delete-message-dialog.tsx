import type { SupportMessage } from '#contract/support.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { plainText } from './plain-text.ts'

interface DeleteMessageDialogProps {
  /** The message that is about to be deleted; undefined while there is none. */
  message: SupportMessage | undefined
  onCancel: () => void
  onConfirm: (message: SupportMessage) => void
}

/** Asks once more: nothing brings a deleted message back. */
export function DeleteMessageDialog({ message, onCancel, onConfirm }: DeleteMessageDialogProps) {
  return (
    <Dialog
      isOpen={message !== undefined}
      title="Excluir mensagem"
      description={
        <>
          A mensagem de <bdi className="font-medium text-ink">{plainText(message?.name ?? '')}</bdi> será
          excluída para todos os administradores. Esta ação não pode ser desfeita.
        </>
      }
      onClose={onCancel}
      actions={
        <>
          <Button variant="secondary" onClick={onCancel}>
            Cancelar
          </Button>
          <Button variant="danger" onClick={() => message && onConfirm(message)}>
            Excluir
          </Button>
        </>
      }
    />
  )
}

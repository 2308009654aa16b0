import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  isOpen?: boolean
  title: string
  description?: ReactNode
  children?: ReactNode
  confirmLabel: ReactNode
  cancelLabel?: string
  /** It is being done: the dialog can neither be left nor confirmed again. */
  isBusy?: boolean
  /** What it is about is not known yet. */
  isDisabled?: boolean
  /** There is nothing left to do but to close it. */
  isOver?: boolean
  /** Each question has its own button, so that pressing Enter twice answers only one. */
  question?: string
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before something is done that would be missed. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen = true, title, description, children, confirmLabel, cancelLabel = 'Cancelar' } = props
  const { isBusy = false, isDisabled = false, isOver = false, question, onConfirm, onCancel } = props
  const cancel = isBusy ? undefined : onCancel
  return (
    <Dialog
      isOpen={isOpen}
      title={title}
      description={description}
      onClose={cancel}
      actions={
        isOver ? (
          <Button key="close" onClick={cancel}>
            Fechar
          </Button>
        ) : (
          <>
            <Button variant="secondary" onClick={cancel}>
              {cancelLabel}
            </Button>
            <Button key={question} variant="danger" isBusy={isBusy} disabled={isDisabled} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </>
        )
      }
    >
      {children}
    </Dialog>
  )
}

import type { ComponentProps } from 'react'
import { ConfirmDialog } from './dialog.tsx'
import { showToast } from './toast.tsx'
import { toFailureToast, useSubmit } from './use-submit.ts'

type ConfirmProps = Omit<ComponentProps<typeof ConfirmDialog>, 'isBusy' | 'onConfirm' | 'onCancel'>

interface SubmitDialogProps extends ConfirmProps {
  send: () => Promise<unknown>
  /** Reads anew what was changed, before the dialog closes. */
  refresh: () => Promise<unknown>
  /** The titles of the toasts. */
  done: string
  failed: string
  /** Called after the toast of a failure. */
  onFailed?: (error: unknown) => unknown
  onClose: () => void
}

/** Asks for confirmation of one change, sends it and says how it ended. */
export function SubmitDialog({
  send,
  refresh,
  done,
  failed,
  onFailed,
  onClose,
  ...props
}: SubmitDialogProps) {
  const { submit, isBusy } = useSubmit({
    send,
    async onDone() {
      await refresh()
      showToast({ kind: 'success', title: done })
      onClose()
    },
    onFailed(error) {
      showToast(toFailureToast(failed, error))
      return onFailed?.(error)
    },
  })
  return <ConfirmDialog {...props} isBusy={isBusy} onConfirm={() => void submit()} onCancel={onClose} />
}

import { BulkEditDialog } from './bulk-edit-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { EntitlementsDialog } from './entitlements-dialog.tsx'
import { HistoryDialog } from './history-dialog.tsx'
import { RemoveApprovalDialog } from './remove-approval-dialog.tsx'
import type { Selection } from './selection.ts'
import type { DialogRequest } from './use-dialogs.tsx'

export interface UserDialogsProps {
  /** Which dialog stands open, if any. */
  dialog: DialogRequest | undefined
  onClose: () => void
  selection: Selection
  /** Called when the selected people have been changed or deleted, so that the selection is used up. */
  onDone: () => void
}

/** Every dialog of the user administration; one at a time. */
export function UserDialogs({ dialog, onClose, selection, onDone }: UserDialogsProps) {
  switch (dialog?.kind) {
    case 'types':
    case 'scope':
    case 'approve':
      return <EntitlementsDialog kind={dialog.kind} person={dialog.profile} onClose={onClose} />
    case 'remove':
      return <RemoveApprovalDialog person={dialog.profile} onClose={onClose} />
    case 'history':
      return <HistoryDialog person={dialog.profile} onClose={onClose} />
    case 'bulk':
      return <BulkEditDialog selection={selection} onClose={onClose} onDone={onDone} />
    case 'delete':
      return <DeleteDialog selection={selection} onClose={onClose} onDone={onDone} />
    default:
      return null
  }
}

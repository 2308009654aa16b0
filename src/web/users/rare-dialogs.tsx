import { ApproveDialog } from './approve-dialog.tsx'
import { BulkEditDialog } from './bulk-edit-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { HistoryDialog } from './history-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import { RemoveApprovalDialog } from './remove-approval-dialog.tsx'
import type { UserDialogsProps } from './user-dialogs.tsx'

/** The dialogs that are opened too rarely to be loaded with the table. */
export function RareDialogs({ dialog, ...rest }: UserDialogsProps) {
  switch (dialog?.kind) {
    case 'name':
      return <NameDialog person={dialog.profile} onClose={rest.onClose} />
    case 'remove':
      return <RemoveApprovalDialog person={dialog.profile} onClose={rest.onClose} />
    case 'history':
      return <HistoryDialog person={dialog.profile} onClose={rest.onClose} />
    case 'delete':
      return <DeleteDialog {...rest} />
    case 'bulk':
      return <BulkEditDialog {...rest} />
    case 'approve-many':
      return <ApproveDialog {...rest} />
    default:
      return null
  }
}

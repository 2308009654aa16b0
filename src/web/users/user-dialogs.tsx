import { EntitlementsDialog } from './entitlements-dialog.tsx'
import type { SelectionDialogProps } from './selection.ts'
import type { DialogRequest } from './use-dialogs.tsx'

export interface UserDialogsProps extends SelectionDialogProps {
  /** Which dialog stands open, if any. */
  dialog: DialogRequest | undefined
}

/** The dialogs of the user administration that are loaded with the table; one at a time. */
export function UserDialogs({ dialog, onClose }: UserDialogsProps) {
  switch (dialog?.kind) {
    case 'types':
    case 'scope':
    case 'approve':
      return (
        <EntitlementsDialog
          key={dialog.profile.user_id}
          kind={dialog.kind}
          person={dialog.profile}
          onClose={onClose}
          onNext={dialog.onNext}
        />
      )
    default:
      return null
  }
}

import type { ManagedProfile } from '#contract/users.ts'
import { EntitlementsDialog } from './entitlements-dialog.tsx'
import type { SelectionDialogProps } from './selection.ts'
import type { DialogRequest } from './use-dialogs.tsx'

export interface UserDialogsProps extends SelectionDialogProps {
  /** Which dialog stands open, if any. */
  dialog: DialogRequest | undefined
  /** What has the focus once somebody has been approved: the next one's button. */
  nextFocus: (approved: ManagedProfile) => HTMLElement | null | undefined
}

/** The dialogs of the user administration that are loaded with the table; one at a time. */
export function UserDialogs({ dialog, onClose, nextFocus }: UserDialogsProps) {
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
          nextFocus={dialog.kind === 'approve' ? () => nextFocus(dialog.profile) : undefined}
        />
      )
    default:
      return null
  }
}

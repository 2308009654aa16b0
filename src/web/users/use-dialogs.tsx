import { useRouter } from '@tanstack/react-router'
import { type ComponentType, useEffect, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { showLoadFailure } from '#web/ui/lazy-dialog.ts'
import { closeToasts } from '#web/ui/toast.tsx'
import type { HelpAction } from './account-dialog.tsx'
import { exportData } from './export-data.ts'
import type { Selection, SelectionDialogProps } from './selection.ts'
import type { UserDialogsProps } from './user-dialogs.tsx'

type PersonDialog =
  | 'edit'
  | 'types'
  | 'scope'
  | 'approve'
  | 'remove'
  | 'name'
  | 'account'
  | 'history'
  | 'delete'

/** The dialog to open, and its person. */
export type DialogRequest =
  | {
      kind: PersonDialog
      profile: ManagedProfile
      /** Opens the dialog of the next person in the approval queue. */
      onNext?: (() => void) | undefined
      /** The one thing to do for the account. */
      help?: HelpAction | undefined
    }
  | { kind: 'bulk' | 'delete' | 'approve-many'; profile?: undefined }

/** An action of a row: a dialog, the data export, or viewing the portal as the person. */
export type RowAction = PersonDialog | 'export' | 'view-as'

const FREQUENT: readonly DialogRequest['kind'][] = ['edit', 'types', 'scope', 'approve']

// React.lazy would cache a failed import forever.
const loaded: Partial<Record<'frequent' | 'rare', ComponentType<UserDialogsProps>>> = {}

async function loadDialogs(isFrequent: boolean): Promise<void> {
  if (isFrequent) loaded.frequent ??= (await import('./user-dialogs.tsx')).UserDialogs
  else loaded.rare ??= (await import('./rare-dialogs.tsx')).RareDialogs
}

/**
 * Opens the table's dialogs; the frequent ones are preloaded in their own chunk once rows are shown.
 * @param onDone called after the selection was processed, with the people left over
 * @param getLabelId returns the id of the element that names a person
 * @param onClosed called after each dialog
 */
export function useDialogs(
  selection: Selection,
  isIdle: boolean,
  onDone: SelectionDialogProps['onDone'],
  getLabelId: (profile: ManagedProfile) => string,
  onClosed = () => {},
) {
  const [dialog, setDialog] = useState<DialogRequest>()
  const open = (request: DialogRequest) => {
    // Toasts about the previous dialog are outdated; going on to the next person keeps them.
    if (!dialog) closeToasts()
    loadDialogs(FREQUENT.includes(request.kind)).then(() => setDialog(request), showLoadFailure)
  }
  const router = useRouter()
  const runAction = (kind: RowAction, profile: ManagedProfile, help?: HelpAction) => {
    if (kind === 'export') void exportData(profile)
    else if (kind === 'view-as') {
      const state = { returnTo: router.state.location.href }
      void router.navigate({ to: '/admin/ver-como/$userId', params: { userId: profile.user_id }, state })
    } else open({ kind, profile, help })
  }
  useEffect(() => {
    // A failed preload is ignored: opening a dialog retries it and reports the error.
    if (isIdle) loadDialogs(true).catch(() => {})
  }, [isIdle])
  const close = () => {
    setDialog(undefined)
    onClosed()
  }
  const nextFocus = (approved: ManagedProfile) => {
    const row = document.getElementById(getLabelId(approved))?.closest('li, tr')
    const next = row?.nextElementSibling ?? row?.previousElementSibling
    return next?.querySelector<HTMLElement>('[data-control="approval"]')
  }
  const props = { dialog, onClose: close, selection, onDone, nextFocus }
  const dialogs = (
    <>
      {loaded.frequent && <loaded.frequent {...props} />}
      {loaded.rare && <loaded.rare {...props} />}
    </>
  )
  return { dialogs, open, close, runAction }
}

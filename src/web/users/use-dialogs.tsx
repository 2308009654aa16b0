import { useNavigate } from '@tanstack/react-router'
import { type ComponentType, useEffect, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { tellNotOpened } from '#web/ui/lazy-dialog.ts'
import { closeToasts } from '#web/ui/toast.tsx'
import { exportData } from './export-data.ts'
import type { Selection, SelectionDialogProps } from './selection.ts'
import type { UserDialogsProps } from './user-dialogs.tsx'

type PersonDialog = 'types' | 'scope' | 'approve' | 'remove' | 'name' | 'history'

/** Which dialog of the table is asked for, and about whom. */
export type DialogRequest =
  | {
      kind: PersonDialog
      profile: ManagedProfile
      /** Goes on to the next who waits, where an approval is one of several. */
      onNext?: (() => void) | undefined
    }
  | { kind: 'bulk' | 'delete' | 'approve-many' }

/** What a row offers to do: a dialog about its person, the download of the person's data, or the portal as the person sees it. */
export type RowAction = PersonDialog | 'export' | 'view-as'

const USUAL: readonly DialogRequest['kind'][] = ['types', 'scope', 'approve']

// Not by lazy(), which remembers a failure for good.
const loaded: Partial<Record<'usual' | 'rare', ComponentType<UserDialogsProps>>> = {}

async function loadDialogs(isUsual: boolean): Promise<void> {
  if (isUsual) loaded.usual ??= (await import('./user-dialogs.tsx')).UserDialogs
  else loaded.rare ??= (await import('./rare-dialogs.tsx')).RareDialogs
}

/**
 * The dialogs of the table: those that are often opened come in a chunk of their own once the rows are there.
 * @param isIdle nothing more urgent is to be loaded
 * @param onDone called when those selected have been dealt with, with those who are left to deal with
 * @param names the id of what names a person in this list
 */
export function useDialogs(
  selection: Selection,
  isIdle: boolean,
  onDone: SelectionDialogProps['onDone'],
  names: (profile: ManagedProfile) => string,
) {
  const [dialog, setDialog] = useState<DialogRequest>()
  const open = (request: DialogRequest) => {
    // What was said about the last one is over; who goes on from one to the next still reads it.
    if (!dialog) closeToasts()
    loadDialogs(USUAL.includes(request.kind)).then(() => setDialog(request), tellNotOpened)
  }
  const navigate = useNavigate()
  const act = (kind: RowAction, profile: ManagedProfile) => {
    if (kind === 'export') void exportData(profile)
    else if (kind === 'view-as')
      void navigate({ to: '/admin/ver-como/$userId', params: { userId: profile.user_id } })
    else open({ kind, profile })
  }
  useEffect(() => {
    // Should it fail, the press of a button tries again and says so.
    if (isIdle) loadDialogs(true).catch(() => {})
  }, [isIdle])
  const close = () => setDialog(undefined)
  const nextFocus = (approved: ManagedProfile) => {
    const row = document.getElementById(names(approved))?.closest('li, tr')
    const next = row?.nextElementSibling ?? row?.previousElementSibling
    return next?.querySelector<HTMLElement>('[data-control="approval"]')
  }
  const props = { dialog, onClose: close, selection, onDone, nextFocus }
  const dialogs = (
    <>
      {loaded.usual && <loaded.usual {...props} />}
      {loaded.rare && <loaded.rare {...props} />}
    </>
  )
  return { dialogs, open, close, act }
}

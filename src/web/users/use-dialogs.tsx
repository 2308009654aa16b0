import { type ComponentType, useEffect, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { loadChunk } from '#web/http/load-chunk.ts'
import { showToast } from '#web/ui/toast.tsx'
import { exportData } from './export-data.ts'
import type { Selection } from './selection.ts'
import type { UserDialogsProps } from './user-dialogs.tsx'

/** A dialog about one person. */
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

/** What a row offers to do: a dialog about its person, or the download of the person's data. */
export type RowAction = PersonDialog | 'export'

// Not by lazy(), which remembers a failure for good.
let UserDialogs: ComponentType<UserDialogsProps> | undefined

async function loadDialogs(): Promise<void> {
  UserDialogs = (await loadChunk(() => import('./user-dialogs.tsx'))).UserDialogs
}

/**
 * The dialogs of the table, which come in a chunk of their own once the rows are there.
 * @param isIdle nothing more urgent is to be loaded
 * @param onDone called when those selected have been dealt with
 */
export function useDialogs(selection: Selection, isIdle: boolean, onDone: () => void) {
  const [dialog, setDialog] = useState<DialogRequest>()
  const open = (request: DialogRequest) => {
    if (UserDialogs) setDialog(request)
    else
      loadDialogs().then(
        () => setDialog(request),
        () => void showToast(NOT_OPENED),
      )
  }
  const act = (kind: RowAction, profile: ManagedProfile) =>
    kind === 'export' ? void exportData(profile) : open({ kind, profile })
  useEffect(() => {
    // Should it fail, the press of a button tries again and says so.
    if (isIdle) loadDialogs().catch(() => {})
  }, [isIdle])
  const close = () => setDialog(undefined)
  const dialogs = UserDialogs && (
    <UserDialogs dialog={dialog} onClose={close} selection={selection} onDone={onDone} />
  )
  return { dialogs, open, act }
}

const NOT_OPENED = {
  kind: 'error',
  title: 'Não foi possível abrir esta janela',
  description: 'Verifique sua internet e tente novamente. Se continuar assim, recarregue a página.',
} as const

import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import type { ManagedProfile } from '#contract/profiles.ts'
import { loadChunk } from '#web/load-chunk.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { DialogRequest, RowAction } from './dialog-request.ts'
import type { Selection } from './selection.ts'

const loadDialogs = () => loadChunk(() => import('./dialogs/user-dialogs.tsx'))
const UserDialogs = lazy(async () => ({ default: (await loadDialogs()).UserDialogs }))

/**
 * The dialogs of the table, which come in a chunk of their own once the rows are there.
 * @param isIdle nothing more urgent is to be loaded
 * @param onDone called when those selected have been dealt with
 */
export function useDialogs(selection: Selection, isIdle: boolean, onDone: () => void) {
  const [dialog, setDialog] = useState<DialogRequest>()
  const [wasOpened, setWasOpened] = useState(false)
  const open = useCallback((request: DialogRequest) => {
    setWasOpened(true)
    setDialog(request)
  }, [])
  const act = useCallback(
    (kind: RowAction, profile: ManagedProfile) =>
      kind === 'export' ? void startExport(profile) : open({ kind, profile }),
    [open],
  )
  useEffect(() => {
    // Should it fail, the press of a button tries again and says so.
    if (isIdle) loadDialogs().catch(() => {})
  }, [isIdle])
  const dialogs = wasOpened && (
    <Suspense>
      <UserDialogs
        dialog={dialog}
        onClose={() => setDialog(undefined)}
        selection={selection}
        onDone={onDone}
      />
    </Suspense>
  )
  return { dialogs, open, act }
}

async function startExport(profile: ManagedProfile): Promise<void> {
  try {
    const { exportData } = await loadChunk(() => import('./changes/export-data.ts'))
    await exportData(profile)
  } catch {
    showToast({
      kind: 'error',
      title: 'Erro ao exportar os dados',
      description: 'Tente novamente em instantes.',
    })
  }
}

import { useMutation } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { adminMessages } from '#contract/admin-messages.ts'
import { type BulkEdit, profileRoutes } from '#contract/profiles.ts'
import { announceBulkEdit, bulkEditOf } from '#web/admin-users/changes/bulk-edit.ts'
import { isConflict } from '#web/admin-users/changes/is-conflict.ts'
import { type Entitlements, NO_ENTITLEMENTS } from '#web/admin-users/changes/profile-steps.ts'
import { refreshAndKeepFocus } from '#web/admin-users/changes/refresh-and-keep-focus.ts'
import type { Selection } from '#web/admin-users/selection.ts'
import { callApi } from '#web/api.ts'
import { showToast } from '#web/ui/toast.tsx'

/** What is chosen and ticked for many people, and how it is saved: in one call, all or nothing. */
export function useBulkEdit(selection: Selection, onSaved: () => void) {
  const [action, setAction] = useState<BulkEdit['action']>('add')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  const [conflict, setConflict] = useState<string>()
  const isRunning = useRef(false)
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (body: BulkEdit) => callApi(profileRoutes.bulkEdit, { body }),
  })
  const edit = useMemo(() => bulkEditOf(selection, action, ticked), [selection, action, ticked])
  const isEmpty = Object.values(ticked).every((items) => items.length === 0)

  const save = async () => {
    if (isRunning.current) return
    if (isEmpty) return void showToast({ kind: 'error', title: adminMessages.bulkNothing })
    isRunning.current = true
    setConflict(undefined)
    try {
      announceBulkEdit(edit.action, await mutateAsync(edit))
      onSaved()
    } catch (error) {
      const description = error instanceof Error ? error.message : ''
      if (isConflict(error)) setConflict(description)
      showToast({ kind: 'error', title: adminMessages.bulkFailed, description })
    } finally {
      isRunning.current = false
      void refreshAndKeepFocus()
    }
  }
  return { action, setAction, ticked, setTicked, edit, isEmpty, conflict, isBusy: isPending, save }
}

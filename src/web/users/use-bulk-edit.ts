import { useMutation } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { adminMessages, type BulkEdit, userRoutes } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { showToast } from '#web/ui/toast.tsx'
import { announceBulkEdit, asPreviewed, bulkEditOf } from './bulk-edit.ts'
import { isConflict } from './is-conflict.ts'
import { refreshProfiles } from './profile-queries.ts'
import { type Entitlements, NO_ENTITLEMENTS } from './profile-steps.ts'
import { refreshAndKeepFocus } from './refresh-and-keep-focus.ts'
import { type Selection, selectionSize } from './selection.ts'
import { type OnConflict, useBulkPreview } from './use-bulk-preview.ts'
import { usePeopleLeft } from './use-people-left.ts'

/** What is chosen and ticked for many people, and how it is saved: in one call, all or nothing. */
export function useBulkEdit(chosen: Selection, onSaved: () => void) {
  const [action, setAction] = useState<BulkEdit['action']>('add')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  const { selection, gone, leaveOut } = usePeopleLeft(chosen)
  const edit = useMemo(() => bulkEditOf(selection, action, ticked), [selection, action, ticked])
  const lack = whatLacks(selection, ticked)

  const preview = useBulkPreview(lack ? undefined : edit, async (error, told) => {
    leaveOut(error, told)
    // The table then knows how many match now, and who has left.
    await refreshProfiles()
  })
  const { isSaving, refusal, save } = useSaving(onSaved, async (error, told) => {
    if (!leaveOut(error, told)) preview.recalculate()
  })
  const submit = () => {
    if (lack) return void showToast({ kind: 'error', title: lack })
    // Nothing is saved whose effect has not been told.
    if (preview.effect && !preview.isCalculating) void save(asPreviewed(edit, preview.effect))
  }
  const choice = { selection, action, setAction, ticked, setTicked }
  return { ...choice, lack, preview, gone, refusal, isSaving, submit }
}

function whatLacks(selection: Selection, ticked: Entitlements): string | undefined {
  if (selectionSize(selection) === 0) return adminMessages.deleteNothing
  return Object.values(ticked).some((items) => items.length > 0) ? undefined : adminMessages.bulkNothing
}

function useSaving(onSaved: () => void, onConflict: OnConflict) {
  const [refusal, setRefusal] = useState<string>()
  const isRunning = useRef(false)
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (body: BulkEdit) => callApi(userRoutes.bulkEdit, { body }),
  })
  const save = async (edit: BulkEdit) => {
    if (isRunning.current) return
    isRunning.current = true
    setRefusal(undefined)
    try {
      announceBulkEdit(edit.action, await mutateAsync(edit))
      onSaved()
    } catch (error) {
      const description = error instanceof Error ? error.message : ''
      showToast({ kind: 'error', title: adminMessages.bulkFailed, description })
      if (isConflict(error)) {
        setRefusal(description)
        void onConflict(error, edit)
      }
    } finally {
      isRunning.current = false
      void refreshAndKeepFocus()
    }
  }
  return { isSaving: isPending, refusal, save }
}

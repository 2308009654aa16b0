import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { adminMessages } from '#contract/admin-messages.ts'
import type { ManagedProfile } from '#contract/profiles.ts'
import {
  announceDeletion,
  type Deletion,
  deleteInBatches,
  readSelected,
} from '#web/admin-users/changes/delete-users.ts'
import { refreshAndKeepFocus } from '#web/admin-users/changes/refresh-and-keep-focus.ts'
import { type Selection, selectionSize } from '#web/admin-users/selection.ts'
import { showToast } from '#web/ui/toast.tsx'

export interface Progress {
  done: number
  total: number
}

/** Deletes everybody who is selected; never more people than the dialog has said. */
export function useDeleteUsers(selection: Selection, onFinished: () => void) {
  const [progress, setProgress] = useState<Progress>()
  const [found, setFound] = useState<number>()
  const isRunning = useRef(false)
  const { mutateAsync } = useMutation({ mutationFn: deleteAll })

  const confirm = async () => {
    if (isRunning.current) return
    const total = selectionSize(selection)
    if (total === 0) return void showToast({ kind: 'error', title: adminMessages.deleteNothing })
    isRunning.current = true
    setFound(undefined)
    let isUsedUp = false
    const onProgress = (done: number) => {
      isUsedUp ||= done > 0
      setProgress({ done, total })
    }
    onProgress(0)
    try {
      const count = await mutateAsync({ selection, total, onProgress })
      if (count !== total) setFound(count)
      else onFinished()
    } catch {
      // It has been announced. Who is left after a part has gone can be seen in the table only.
      if (isUsedUp) onFinished()
    } finally {
      isRunning.current = false
      setProgress(undefined)
      void refreshAndKeepFocus()
    }
  }
  return { progress, found, confirm }
}

interface DeleteAll {
  selection: Selection
  total: number
  onProgress: (done: number) => void
}

/**
 * @returns how many people were found; none of them has been deleted unless it is the number that was confirmed
 * @throws what broke the deletion off, once it has been announced
 */
async function deleteAll({ selection, total, onProgress }: DeleteAll): Promise<number> {
  const deletion = await findAndDelete({ selection, total, onProgress })
  if (typeof deletion === 'number') return deletion
  if (deletion.failure !== undefined) throw deletion.failure
  return total
}

async function findAndDelete({ selection, total, onProgress }: DeleteAll): Promise<Deletion | number> {
  let people: ManagedProfile[] = []
  let deletion: Deletion
  try {
    people = await readSelected(selection)
    if (people.length !== total) return people.length
    const userIds = people.map(({ user_id }) => user_id)
    deletion = await deleteInBatches(userIds, onProgress)
  } catch (failure) {
    deletion = { deletedIds: [], refused: [], failure }
  }
  const emails = new Map(people.map(({ user_id, email }) => [user_id, email]))
  announceDeletion(deletion, (userId) => emails.get(userId))
  return deletion
}

import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { adminMessages } from '#contract/users.ts'
import { showToast } from '#web/ui/toast.tsx'
import { announceDeletion, type Deletion, deleteInBatches, describeOthers } from './delete-users.ts'
import { refreshAndKeepFocus } from './refresh-and-keep-focus.ts'
import type { Selection } from './selection.ts'
import { usePeopleToDelete } from './use-people-to-delete.ts'

export interface Progress {
  done: number
  total: number
}

/** Reads who is selected and, once confirmed, deletes exactly these people. */
export function useDeleteUsers(selection: Selection, onFinished: () => void) {
  const { readAgain, replace, ...who } = usePeopleToDelete(selection)
  const [progress, setProgress] = useState<Progress>()
  const [change, setChange] = useState<string>()
  const isRunning = useRef(false)
  const { mutateAsync } = useMutation({ mutationFn: deleteAll })

  const confirm = async () => {
    const { people } = who
    if (isRunning.current || !people) return
    const total = people.length
    if (total === 0) return void showToast({ kind: 'error', title: adminMessages.deleteNothing })
    isRunning.current = true
    setChange(undefined)
    let isUsedUp = false
    const onProgress = (done: number) => {
      isUsedUp ||= done > 0
      setProgress({ done, total })
    }
    onProgress(0)
    try {
      const others = await mutateAsync({ people, readAgain, onProgress })
      if (!others) return onFinished()
      setChange(describeOthers(people, others))
      // The next press is about those who are named from now on.
      replace(others)
    } catch {
      // It has been announced. Who is left after a part has gone can be seen in the table only.
      if (isUsedUp) onFinished()
    } finally {
      isRunning.current = false
      setProgress(undefined)
      void refreshAndKeepFocus()
    }
  }
  return { ...who, progress, change, confirm }
}

interface DeleteAll {
  people: ManagedProfile[]
  readAgain: () => Promise<ManagedProfile[]>
  onProgress: (done: number) => void
}

/**
 * @returns who is selected now when these are others; then nobody has been deleted
 * @throws what broke the deletion off, once it has been announced
 */
async function deleteAll({
  people,
  readAgain,
  onProgress,
}: DeleteAll): Promise<ManagedProfile[] | undefined> {
  let deletion: Deletion
  try {
    const now = await readAgain()
    if (describeOthers(people, now)) return now
    const userIds = people.map(({ user_id }) => user_id)
    deletion = await deleteInBatches(userIds, onProgress)
  } catch (failure) {
    deletion = { deletedIds: [], refused: [], failure }
  }
  const emails = new Map(people.map(({ user_id, email }) => [user_id, email]))
  announceDeletion(deletion, (userId) => emails.get(userId))
  if (deletion.failure !== undefined) throw deletion.failure
  return undefined
}

import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { adminMessages, type ManagedProfile } from '#contract/users.ts'
import { queryClient } from '#web/http/query-client.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { FailedLoad } from '#web/ui/failed-load.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { showToast } from '#web/ui/toast.tsx'
import {
  announceDeletion,
  type Deletion,
  deleteInBatches,
  describeOthers,
  readSelected,
} from './delete-users.ts'
import { type Selection, selectionSize, usersInWords } from './selection.ts'
import { refreshAndKeepFocus } from './user-queries.ts'

/** Fewer are deleted before a bar has been seen. */
const WORTH_A_BAR = 250

interface DeleteDialogProps {
  selection: Selection
  onClose: () => void
  onDone: () => void
}

/** 'Confirmar Exclusão': who will be deleted, and that there is no way back (SPEC section 2). */
export function DeleteDialog({ selection, onClose, onDone }: DeleteDialogProps) {
  const { progress, change, confirm, ...who } = useDeleteUsers(selection, () => {
    onClose()
    onDone()
  })
  const isBusy = progress !== undefined
  return (
    <Dialog
      isOpen
      title="Confirmar Exclusão"
      description="Esta ação não pode ser desfeita. Todos os dados associados serão removidos permanentemente."
      onClose={isBusy ? undefined : onClose}
      actions={
        <>
          <Button variant="secondary" onClick={isBusy ? undefined : onClose}>
            Cancelar
          </Button>
          <Button variant="danger" isBusy={isBusy} disabled={!who.people} onClick={confirm}>
            Excluir {usersInWords(who.count)}
          </Button>
        </>
      }
    >
      <div className="space-y-4 text-sm">
        {change && (
          <Alert kind="warning" title="Nada foi excluído">
            {change} Confira e confirme novamente.
          </Alert>
        )}
        <People {...who} />
        {progress && progress.total > WORTH_A_BAR && <ProgressBar {...progress} />}
      </div>
    </Dialog>
  )
}

type Who = Pick<ReturnType<typeof useDeleteUsers>, 'people' | 'named' | 'count' | 'failure' | 'retry'>

/** Nobody is deleted whom the dialog could not have named: it waits until everybody has been read. */
function People({ people, named, count, failure, retry }: Who) {
  if (failure !== undefined)
    return (
      <FailedLoad title="Não foi possível ler os nomes" onRetry={retry}>
        {failure}
      </FailedLoad>
    )
  if (!named) return <Skeleton className="h-24" />
  return (
    <>
      <Names named={named} count={count} />
      {!people && (
        <p role="status" className="text-muted">
          Lendo quem será excluído…
        </p>
      )}
    </>
  )
}

function Names({ named, count }: { named: readonly ManagedProfile[]; count: number }) {
  if (named.length === 0) return null
  const rest = count - named.length
  return (
    <ul aria-label="Usuários a excluir" className="list-disc space-y-1 pl-5">
      {named.map(({ user_id, full_name, email }) => (
        <li key={user_id}>
          {full_name && <span className="font-medium">{full_name} · </span>}
          {email}
        </li>
      ))}
      {rest > 0 && <li>e mais {rest.toLocaleString('pt-BR')}</li>}
    </ul>
  )
}

function ProgressBar({ done, total }: Progress) {
  const labelId = useId()
  return (
    <div className="space-y-1.5">
      <p id={labelId} role="status" className="text-muted tabular-nums">
        Excluindo: {done.toLocaleString('pt-BR')} de {total.toLocaleString('pt-BR')}
      </p>
      <progress
        aria-labelledby={labelId}
        value={done}
        max={total}
        className="h-1.5 w-full overflow-hidden rounded-full accent-danger-solid"
      />
    </div>
  )
}

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

/** As many people as the dialog names; the rest is a number. */
const MOST_NAMES = 10

/**
 * Whom a deletion is about: everybody who was selected when the dialog opened, read once. What stands in a dialog
 * must not change under the hand.
 */
export function usePeopleToDelete(selection: Selection) {
  const [opened] = useState(selection)
  const [first, setFirst] = useState<readonly ManagedProfile[]>()
  const queryKey = ['people-to-delete', useId()]
  const { data, error, isFetching, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      readSelected(opened, { onPage: (found) => setFirst(found.slice(0, MOST_NAMES)), signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  })
  return {
    /** Undefined until everybody has been read. */
    people: data,
    /** The first of them by e-mail; undefined until a page has been read. */
    named: data?.slice(0, MOST_NAMES) ?? first,
    count: data?.length ?? selectionSize(opened),
    failure: isFetching ? undefined : error?.message,
    retry: () => void refetch(),
    /** Those who are selected by now. */
    readAgain: () => readSelected(opened),
    /** From now on the deletion is about these. */
    replace: (people: ManagedProfile[]) => queryClient.setQueryData(queryKey, people),
  }
}

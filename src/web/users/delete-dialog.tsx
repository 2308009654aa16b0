import { useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { adminMessages, type ManagedProfile } from '#contract/users.ts'
import { queryClient } from '#web/http/query-client.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-form.ts'
import {
  announceDeletion,
  type Deletion,
  deleteInBatches,
  describeOthers,
  readSelected,
} from './delete-users.ts'
import { type Selection, selectionSize, usersInWords } from './selection.ts'
import { refreshUsers } from './user-queries.ts'

/** Fewer are deleted before a bar has been seen. */
const MIN_PEOPLE_FOR_BAR = 250
/** As many people as the dialog names; the rest is a number. */
const MAX_NAMES = 10
const QUERY_KEY = ['people-to-delete']
const NOTHING_DELETED: Deletion = { deletedIds: [], refused: [] }

interface Progress {
  done: number
  total: number
}

interface DeleteDialogProps {
  selection: Selection
  onClose: () => void
  onDone: () => void
}

/** 'Confirmar Exclusão': who will be deleted, and that there is no way back. */
export function DeleteDialog({ selection, onClose, onDone }: DeleteDialogProps) {
  const who = usePeopleToDelete(selection)
  const { progress, isBusy, change, confirm } = useDeletion(who, () => {
    onClose()
    onDone()
  })
  return (
    <ConfirmDialog
      title="Confirmar Exclusão"
      description="Esta ação não pode ser desfeita. Todos os dados associados serão removidos permanentemente."
      confirmLabel={`Excluir ${usersInWords(who.count)}`}
      isBusy={isBusy}
      isDisabled={!who.people}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <div className="space-y-4 text-sm">
        {change && (
          <Alert kind="warning" title="Nada foi excluído">
            {change} Confira e confirme novamente.
          </Alert>
        )}
        <People {...who} />
        {progress && progress.total > MIN_PEOPLE_FOR_BAR && <ProgressBar {...progress} />}
      </div>
    </ConfirmDialog>
  )
}

type PeopleToDelete = ReturnType<typeof usePeopleToDelete>

/**
 * Whom a deletion is about: everybody who was selected when the dialog opened, read once. What stands in a dialog
 * must not change under the hand.
 */
function usePeopleToDelete(selection: Selection) {
  const [opened] = useState(selection)
  const [first, setFirst] = useState<readonly ManagedProfile[]>()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) =>
      readSelected(opened, { onPage: (found) => setFirst(found.slice(0, MAX_NAMES)), signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  })
  return {
    /** Undefined until everybody has been read. */
    people: data,
    /** The first of them by e-mail; undefined until a page has been read. */
    named: data?.slice(0, MAX_NAMES) ?? first,
    count: data?.length ?? selectionSize(opened),
    failure: isFetching ? undefined : error?.message,
    retry: () => void refetch(),
    /** Those who are selected by now. */
    readAgain: () => readSelected(opened),
    /** From now on the deletion is about these. */
    replace: (people: ManagedProfile[]) => queryClient.setQueryData(QUERY_KEY, people),
  }
}

/** Deletes, once confirmed, exactly the people who have been named; where others are selected by now, none. */
function useDeletion({ people, readAgain, replace }: PeopleToDelete, onFinished: () => void) {
  const [progress, setProgress] = useState<Progress>()
  const [change, setChange] = useState<string>()
  const deletion = useRef<Deletion>(NOTHING_DELETED)

  const announce = (all: readonly ManagedProfile[]) => {
    const emails = new Map(all.map(({ user_id, email }) => [user_id, email]))
    announceDeletion(deletion.current, (userId) => emails.get(userId))
  }
  const { submit, isBusy } = useSubmit({
    send: async (all: ManagedProfile[]) => {
      const total = all.length
      deletion.current = NOTHING_DELETED
      setChange(undefined)
      setProgress({ done: 0, total })
      const now = await readAgain()
      if (describeOthers(all, now)) return now
      deletion.current = await deleteInBatches(
        all.map(({ user_id }) => user_id),
        (done) => setProgress({ done, total }),
      )
      if (deletion.current.failure !== undefined) throw deletion.current.failure
      return undefined
    },
    onDone: (others, all) => {
      if (others) {
        setChange(describeOthers(all, others))
        // The next press is about those who are named from now on.
        return replace(others)
      }
      announce(all)
      onFinished()
    },
    onFailed: (failure, all) => {
      deletion.current = { ...deletion.current, failure }
      announce(all)
      // Who is left after a part has gone can be seen in the table only.
      const { deletedIds, refused } = deletion.current
      if (deletedIds.length + refused.length > 0) onFinished()
    },
    onSettled: refreshUsers,
  })
  const confirm = () => {
    if (people?.length === 0) return void showToast({ kind: 'error', title: adminMessages.deleteNothing })
    if (people) void submit(people)
  }
  return { progress: isBusy ? progress : undefined, isBusy, change, confirm }
}

/** Nobody is deleted whom the dialog could not have named: it waits until everybody has been read. */
function People({ people, named, count, failure, retry }: PeopleToDelete) {
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

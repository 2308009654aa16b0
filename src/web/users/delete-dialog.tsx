import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { adminMessages } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { queryClient, READ_ONCE } from '#web/http/query-client.ts'
import { useSession } from '#web/session/session.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { announceDeletion, deleteInBatches, describeListChange, readSelected } from './delete-users.ts'
import { Person } from './dialog-notices.tsx'
import { countSelected, formatUserCount, type SelectionDialogProps } from './selection.ts'
import { refreshUsers } from './user-queries.ts'

/** A deletion of fewer people ends before a progress bar could be read. */
const MIN_PEOPLE_FOR_BAR = 250
/** To delete more people than this, their number must be typed. */
const MAX_UNTYPED = 20
const MAX_NAMES = 10
const QUERY_KEY = ['people-to-delete']

/** 'Confirmar Exclusão': deletes exactly the people listed; if the selection has changed, none. */
export function DeleteDialog({ selection, onClose, onDone }: SelectionDialogProps) {
  // A snapshot: changes of the table's selection must not reach an open dialog.
  const [opened] = useState(selection)
  const [doneCount, setDoneCount] = useState(0)
  const [change, setChange] = useState<string>()
  const [typed, setTyped] = useState('')
  const reading = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => readSelected(opened, signal),
    ...READ_ONCE,
  })
  const ownId = useSession()?.user.id
  const withoutSelf = (all: readonly ManagedProfile[]) => all.filter(({ user_id }) => user_id !== ownId)
  /** Undefined until all pages are loaded. */
  const people = reading.data && withoutSelf(reading.data)
  const includesSelf = people !== undefined && people.length < (reading.data?.length ?? 0)
  const count = people?.length ?? countSelected(opened)
  const { submit, isBusy } = useSubmit({
    send: async (named: ManagedProfile[]) => {
      setChange(undefined)
      setDoneCount(0)
      const now = await readSelected(opened)
      const others = describeListChange(named, withoutSelf(now))
      if (others === undefined) return deleteInBatches(named, setDoneCount)
      setChange(others)
      // The next confirmation covers the people listed from now on.
      queryClient.setQueryData(QUERY_KEY, now)
      return undefined
    },
    onDone: (deletion, named) => {
      if (!deletion) return
      announceDeletion(deletion, named)
      // After a partial deletion the table shows who is left.
      const { deletedIds, refused, failure } = deletion
      if (failure !== undefined && deletedIds.length + refused.length === 0) return
      const deleted = new Set(deletedIds)
      onClose()
      onDone(named.filter(({ user_id }) => !deleted.has(user_id)))
    },
    onFailed: (failure, named) => announceDeletion({ deletedIds: [], refused: [], failure }, named),
    onSettled: refreshUsers,
  })
  const confirm = () => {
    if (people?.length === 0) showToast({ kind: 'error', title: adminMessages.deleteNothing })
    else if (people) void submit(people)
  }
  const mustType = people !== undefined && people.length > MAX_UNTYPED
  return (
    <ConfirmDialog
      title="Confirmar Exclusão"
      description="Esta ação não pode ser desfeita. Todos os dados associados serão removidos permanentemente."
      confirmLabel={`Excluir ${formatUserCount(count)}`}
      isBusy={isBusy}
      isDisabled={!people || (mustType && typed.replace(/\D/g, '') !== String(people.length))}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <div className="space-y-4 text-sm">
        {change && (
          <Alert kind="warning" title="Nada foi excluído">
            {change} Confira e confirme novamente.
          </Alert>
        )}
        {reading.error && !reading.isFetching ? (
          <FailedLoad title="Não foi possível ler os nomes" onRetry={() => void reading.refetch()}>
            {reading.error.message}
          </FailedLoad>
        ) : (
          <People people={people} />
        )}
        {includesSelf && <p>Você fica de fora: ninguém exclui a própria conta.</p>}
        {mustType && (
          <TextField
            label={`Para confirmar, digite o número de usuários: ${count.toLocaleString('pt-BR')}`}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
        {isBusy && count > MIN_PEOPLE_FOR_BAR && <ProgressBar done={doneCount} total={count} />}
      </div>
    </ConfirmDialog>
  )
}

/** The first people by name and a count of the rest, who are listed on request. */
function People({ people }: { people: readonly ManagedProfile[] | undefined }) {
  const [isExpanded, setIsExpanded] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (isExpanded) list.current?.focus()
  }, [isExpanded])
  if (!people)
    return (
      <p role="status" className="text-muted">
        Lendo quem será excluído…
      </p>
    )
  if (people.length === 0) return <p className="text-muted">Ninguém mais corresponde a esta seleção.</p>
  const rest = isExpanded ? 0 : people.length - MAX_NAMES
  return (
    <ul
      ref={list}
      aria-label="Usuários a excluir"
      // A scrollable list must be focusable to be scrolled by keyboard.
      tabIndex={isExpanded ? 0 : undefined}
      className={classNames('list-disc space-y-1 pl-5', isExpanded && 'max-h-64 overflow-y-auto')}
    >
      {people.slice(0, isExpanded ? undefined : MAX_NAMES).map((person) => (
        <li key={person.user_id}>
          <Person person={person} />
          {person.role === 'admin' && <strong className="font-medium text-warning"> · Administrador</strong>}
        </li>
      ))}
      {rest > 0 && (
        <li>
          e mais {rest.toLocaleString('pt-BR')}{' '}
          <button type="button" onClick={() => setIsExpanded(true)} className={textLinkClasses}>
            Ver todos
          </button>
        </li>
      )}
    </ul>
  )
}

function ProgressBar({ done, total }: { done: number; total: number }) {
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

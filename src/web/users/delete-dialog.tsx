import { useId } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { usersInWords } from './count-words.ts'
import { LoadFailure } from './dialog-load-failure.tsx'
import type { Selection } from './selection.ts'
import { type Progress, useDeleteUsers } from './use-delete-users.ts'

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
    return <LoadFailure title="Não foi possível ler os nomes" message={failure} onRetry={retry} />
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

import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { readSelected } from '#web/admin-users/changes/delete-users.ts'
import { usersInWords } from '#web/admin-users/count-words.ts'
import { type Selection, selectionSize } from '#web/admin-users/selection.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { type Progress, useDeleteUsers } from './use-delete-users.ts'

/** As many people as the dialog names; the rest is a number. */
const MOST_NAMES = 10
/** Fewer are deleted before a bar has been seen. */
const WORTH_A_BAR = 250

interface DeleteDialogProps {
  selection: Selection
  onClose: () => void
  onDone: () => void
}

/** 'Confirmar Exclusão': who will be deleted, and that there is no way back (SPEC section 2). */
export function DeleteDialog({ selection, onClose, onDone }: DeleteDialogProps) {
  const size = selectionSize(selection)
  const { progress, found, confirm } = useDeleteUsers(selection, () => {
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
          <Button variant="danger" isBusy={isBusy} onClick={confirm}>
            Excluir {usersInWords(size)}
          </Button>
        </>
      }
    >
      <div className="space-y-4 text-sm">
        {found !== undefined && (
          <Alert kind="warning" title="Nada foi excluído">
            A lista mudou nesse meio-tempo: agora correspondem {usersInWords(found)}. Confira e confirme
            novamente.
          </Alert>
        )}
        <Names selection={selection} size={size} />
        {progress && progress.total > WORTH_A_BAR && <ProgressBar {...progress} />}
      </div>
    </Dialog>
  )
}

function Names({ selection, size }: { selection: Selection; size: number }) {
  const { data, error } = useQuery({
    queryKey: ['selected-names', selection.kind === 'some' ? selection.userIds : selection],
    queryFn: ({ signal }) => readSelected(selection, MOST_NAMES, signal),
    gcTime: 0,
  })
  if (error)
    return (
      <Alert kind="error" title="Não foi possível ler os nomes">
        {error.message}
      </Alert>
    )
  if (!data) return <Skeleton className="h-24" />
  const rest = size - data.length
  return (
    <ul aria-label="Usuários a excluir" className="list-disc space-y-1 pl-5">
      {data.map(({ user_id, full_name, email }) => (
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

import { useState } from 'react'
import { adminMessages, MAX_NAME_LENGTH } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { ConfirmDialog, FormDialog } from '#web/ui/dialog.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { ApproveDialog } from './approve-dialog.tsx'
import { BulkEditDialog } from './bulk-edit-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { ConflictNotice, Person, PersonGone } from './dialog-notices.tsx'
import { HistoryDialog } from './history-dialog.tsx'
import { useProfileEdit } from './use-profile-edit.ts'
import type { UserDialogsProps } from './user-dialogs.tsx'

/** The dialogs opened too rarely to be loaded with the table. */
export function RareDialogs({ dialog, ...rest }: UserDialogsProps) {
  switch (dialog?.kind) {
    case 'name':
      return <NameDialog person={dialog.profile} onClose={rest.onClose} />
    case 'account':
      return <AccountDialog person={dialog.profile} wanted={dialog.help} onClose={rest.onClose} />
    case 'remove':
      return <RemoveApprovalDialog person={dialog.profile} onClose={rest.onClose} />
    case 'history':
      return <HistoryDialog person={dialog.profile} onClose={rest.onClose} />
    case 'delete':
      return dialog.profile ? (
        <DeleteDialog
          selection={{ kind: 'some', profiles: new Map([[dialog.profile.user_id, dialog.profile]]) }}
          onClose={rest.onClose}
          // The ticks of the table are another matter.
          onDone={() => {}}
        />
      ) : (
        <DeleteDialog {...rest} />
      )
    case 'bulk':
      return <BulkEditDialog {...rest} />
    case 'approve-many':
      return <ApproveDialog {...rest} />
    default:
      return null
  }
}

const NAME_TEXTS = { saved: 'Nome corrigido', failed: 'Erro ao corrigir o nome' }

/** 'Corrigir Nome': changes a person's name. */
function NameDialog({ person, onClose }: { person: ManagedProfile; onClose: () => void }) {
  const { conflict, isGone, isBusy, save } = useProfileEdit(person, NAME_TEXTS, onClose)
  const [name, setName] = useState(person.full_name ?? '')
  const [error, setError] = useState<string>()
  const submit = () => {
    if (name.trim()) save({ full_name: name.trim() }, conflict?.current ?? person)
    else setError('Informe o nome')
  }
  return (
    <FormDialog
      title="Corrigir Nome"
      description={<Person person={person} />}
      confirmLabel={conflict ? 'Salvar mesmo assim' : 'Salvar'}
      question={conflict?.current.version}
      isBusy={isBusy}
      isOver={isGone}
      hasChanges={!isGone && name !== (person.full_name ?? '')}
      onSubmit={submit}
      onCancel={onClose}
    >
      {isGone && <PersonGone />}
      {conflict && <ConflictNotice conflict={conflict} advice="O nome que você escreveu continua abaixo." />}
      {!isGone && (
        <TextField
          label="Nome"
          autoComplete="off"
          maxLength={MAX_NAME_LENGTH}
          value={name}
          onChange={({ target }) => {
            setName(target.value)
            setError(undefined)
          }}
          error={error}
        />
      )}
    </FormDialog>
  )
}

const REMOVAL_TEXTS = { saved: adminMessages.approvalRemoved, failed: adminMessages.removeFailed }

function RemoveApprovalDialog({ person, onClose }: { person: ManagedProfile; onClose: () => void }) {
  const { conflict, isGone, isBusy, save } = useProfileEdit(person, REMOVAL_TEXTS, onClose)
  const isOwn = useSession()?.user.id === person.user_id
  return (
    <ConfirmDialog
      title="Remover Aprovação"
      description={<Person person={person} />}
      confirmLabel={conflict ? 'Remover mesmo assim' : 'Remover aprovação'}
      question={conflict ? 'anyway' : 'remove'}
      cancelLabel={conflict ? 'Usar o estado atual' : 'Cancelar'}
      isBusy={isBusy}
      isOver={isGone}
      onConfirm={() => save({ approved: false }, conflict?.current ?? person)}
      onCancel={onClose}
    >
      {isGone ? (
        <PersonGone />
      ) : (
        <div className="space-y-4 text-sm">
          {conflict && <ConflictNotice conflict={conflict} advice="A aprovação ainda não foi removida." />}
          {isOwn && (
            <Alert kind="warning" title="Esta é a sua própria conta">
              Você deixa de ver os relatórios: passa a ver a tela de aprovação pendente. A administração do
              portal continua aberta para você.
            </Alert>
          )}
          <p>
            {!isOwn &&
              'A pessoa mantém a conta e continua conectada, mas deixa de ver os relatórios: passa a ver a tela de aprovação pendente. '}
            Tipos, marcas e estados ficam guardados para uma nova aprovação.
          </p>
        </div>
      )}
    </ConfirmDialog>
  )
}

import { adminMessages } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { ConflictNotice, Person, PersonGone } from './dialog-notices.tsx'
import { useProfileEdit } from './use-profile-edit.ts'

const TEXTS = { saved: adminMessages.approvalRemoved, failed: adminMessages.removeFailed }
const CHANGE = { approved: false }

export function RemoveApprovalDialog({ person, onClose }: { person: ManagedProfile; onClose: () => void }) {
  const { conflict, isGone, isBusy, save } = useProfileEdit(person, TEXTS, onClose)
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
      onConfirm={() => save(CHANGE, conflict?.current ?? person)}
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

import type { ManagedProfile } from '#contract/users.ts'
import { adminMessages } from '#contract/users.ts'
import { useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { ConflictNotice, PersonGone } from './conflict.tsx'
import { Person } from './entitlements-dialog.tsx'
import { useProfileEdit } from './use-profile-edit.ts'

const TEXTS = { saved: () => [adminMessages.approvalRemoved], failed: adminMessages.removeFailed }
const STEPS = [{ approved: false }]

/** Asks before an approval is taken away, and says what that does. */
export function RemoveApprovalDialog({ person, onClose }: { person: ManagedProfile; onClose: () => void }) {
  const { conflict, isGone, isBusy, save } = useProfileEdit(person, TEXTS, onClose)
  const isOwn = useSession()?.user.id === person.user_id
  const remove = () => void save(STEPS, conflict?.current ?? person)
  return (
    <Dialog
      isOpen
      title="Remover Aprovação"
      description={<Person person={person} />}
      onClose={isBusy ? undefined : onClose}
      actions={
        isGone ? (
          <Button key="close" onClick={onClose}>
            Fechar
          </Button>
        ) : (
          <>
            <Button variant="secondary" onClick={isBusy ? undefined : onClose}>
              {conflict ? 'Usar o estado atual' : 'Cancelar'}
            </Button>
            <Button key={conflict ? 'anyway' : 'remove'} variant="danger" isBusy={isBusy} onClick={remove}>
              {conflict ? 'Remover mesmo assim' : 'Remover aprovação'}
            </Button>
          </>
        )
      }
    >
      {isGone ? (
        <PersonGone />
      ) : (
        <div className="space-y-4 text-sm">
          {conflict && <ConflictNotice conflict={conflict} advice="A aprovação ainda não foi removida." />}
          <Consequences isOwn={isOwn} />
        </div>
      )}
    </Dialog>
  )
}

function Consequences({ isOwn }: { isOwn: boolean }) {
  const kept = 'Tipos, marcas e estados ficam guardados para uma nova aprovação.'
  if (!isOwn)
    return (
      <p>
        A pessoa mantém a conta e continua conectada, mas deixa de ver os relatórios: passa a ver a tela de
        aprovação pendente. {kept}
      </p>
    )
  return (
    <>
      <Alert kind="warning" title="Esta é a sua própria conta">
        Você deixa de ver os relatórios: passa a ver a tela de aprovação pendente. A administração do portal
        continua aberta para você.
      </Alert>
      <p>{kept}</p>
    </>
  )
}

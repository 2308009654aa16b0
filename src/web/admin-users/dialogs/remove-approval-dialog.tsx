import { adminMessages } from '#contract/admin-messages.ts'
import type { ManagedProfile } from '#contract/profiles.ts'
import { useProfileEdit } from '#web/admin-users/changes/use-profile-edit.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { ConflictNotice } from './conflict-notice.tsx'
import { Person } from './person.tsx'

const TEXTS = { saved: adminMessages.approvalRemoved, failed: adminMessages.removeFailed }
const STEPS = [{ approved: false }]

/** Asks before an approval is taken away, and says what that does. */
export function RemoveApprovalDialog({ person, onClose }: { person: ManagedProfile; onClose: () => void }) {
  const { conflict, isBusy, save } = useProfileEdit(person, TEXTS, onClose)
  const remove = () => void save(STEPS, conflict?.current ?? person)
  return (
    <Dialog
      isOpen
      title="Remover Aprovação"
      description={<Person person={person} />}
      onClose={isBusy ? undefined : onClose}
      actions={
        <>
          <Button variant="secondary" onClick={isBusy ? undefined : onClose}>
            {conflict ? 'Usar o estado atual' : 'Cancelar'}
          </Button>
          <Button key={conflict ? 'anyway' : 'remove'} variant="danger" isBusy={isBusy} onClick={remove}>
            {conflict ? 'Remover mesmo assim' : 'Remover aprovação'}
          </Button>
        </>
      }
    >
      <div className="space-y-4 text-sm">
        {conflict && <ConflictNotice conflict={conflict} advice="A aprovação ainda não foi removida." />}
        <p>
          A pessoa mantém a conta e continua conectada, mas deixa de ver os relatórios: passa a ver a tela de
          aprovação pendente. Tipos, marcas e estados ficam guardados para uma nova aprovação.
        </p>
      </div>
    </Dialog>
  )
}

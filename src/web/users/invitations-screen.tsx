import { INVITATION_DAYS } from '#contract/user-rules.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { InviteForm } from './invite-form.tsx'
import { OpenInvitations } from './open-invitations.tsx'

/** /admin/convites, 'Convidar pessoas': who is asked in, and who has not answered yet. */
export function InvitationsScreen() {
  return (
    <AdminPage
      title="Convidar pessoas"
      intro={`Cada pessoa recebe um e-mail, cria a senha pelo link e entra já aprovada, com o acesso que você marcar. O link vale por ${INVITATION_DAYS} dias.`}
    >
      <InviteForm />
      <OpenInvitations />
    </AdminPage>
  )
}

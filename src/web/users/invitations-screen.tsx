import { useQuery } from '@tanstack/react-query'
import { INVITATION_DAYS } from '#contract/user-rules.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { InviteForm } from './invite-form.tsx'
import { OpenInvitations } from './open-invitations.tsx'

/** /admin/convites, 'Convidar pessoas': sends invitations and lists the open ones. */
export function InvitationsScreen() {
  // The height of the form depends on the catalogue.
  const { isPending } = useQuery(catalogueQuery)
  return (
    <AdminPage
      title="Convidar pessoas"
      intro={`Cada pessoa recebe um e-mail, cria a senha pelo link e entra já aprovada, com o acesso que você marcar. O link vale por ${INVITATION_DAYS} dias.`}
    >
      {isPending ? (
        <Skeleton className="h-dvh rounded-xl" />
      ) : (
        <>
          <InviteForm />
          <OpenInvitations />
        </>
      )}
    </AdminPage>
  )
}

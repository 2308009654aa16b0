import { Link } from '@tanstack/react-router'
import { INVITATION_DAYS } from '#contract/user-rules.ts'
import { textLinkClasses } from '#web/ui/button.tsx'
import { InviteForm } from './invite-form.tsx'
import { OpenInvitations } from './open-invitations.tsx'

/** /admin/convites, 'Convidar pessoas': who is asked in, and who has not answered yet. */
export function InvitationsScreen() {
  return (
    <div className="mx-auto w-full max-w-4xl space-y-8 px-4 py-8">
      <div className="space-y-2">
        <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
          <h1 className="font-semibold text-2xl tracking-tight">Convidar pessoas</h1>
          <Link to="/admin" className={`text-sm ${textLinkClasses}`}>
            Voltar à administração
          </Link>
        </div>
        <p className="max-w-prose text-muted text-sm">
          Cada pessoa recebe um e-mail, cria a senha pelo link e entra já aprovada, com o acesso que você
          marcar. O link vale por {INVITATION_DAYS} dias.
        </p>
      </div>
      <InviteForm />
      <OpenInvitations />
    </div>
  )
}

import { Link, useLocation } from '@tanstack/react-router'
import { ResendButton } from '#web/session/resend-button.tsx'
import { buttonClasses, textLinkClasses } from '#web/ui/button.tsx'
import { VisitorPage } from '#web/ui/visitor-page.tsx'

/** /email-verification: shows where the confirmation link was sent and resends it. */
export function EmailVerificationScreen() {
  const email = useLocation({ select: ({ state }) => state.email }) ?? ''
  return (
    <VisitorPage
      title="Confirme seu e-mail"
      hasPanel={false}
      description={
        <>
          Enviamos um link de confirmação para <strong className="font-medium text-ink">{email}</strong>:
          abra-o em até 1 hora.
        </>
      }
    >
      <div className="space-y-6">
        <p className="text-sm leading-relaxed">
          Não chegou? Confira a pasta de spam ou peça outro e-mail. Depois da confirmação, um administrador
          libera seu acesso.
        </p>
        <p className="text-sm">
          Já confirmou em outro aparelho?{' '}
          <Link to="/login" state={{ email }} className={textLinkClasses}>
            Entrar
          </Link>
        </p>
        <div className="grid gap-3">
          <ResendButton email={email} size="large" />
          <Link to="/login" state={{ email }} className={buttonClasses('secondary', 'large')}>
            Voltar para o login
          </Link>
        </div>
      </div>
    </VisitorPage>
  )
}

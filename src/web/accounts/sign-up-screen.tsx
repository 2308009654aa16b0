import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { PASSWORD_MIN } from '#contract/passwords.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { HumanCheck, type HumanCheckHandle } from '#web/human-check/human-check.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmailField } from '#web/ui/email-field.tsx'
import { NewPasswordFields } from '#web/ui/new-password-fields.tsx'
import { textLinkClasses } from '#web/ui/text-link.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'
import { useSignUp } from './use-sign-up.ts'

const labels = { password: 'Senha', confirmation: 'Confirmar senha' }

/** /signup: e-mail, password twice with its strength, and the human check (SPEC section 2). */
export function SignUpScreen() {
  const humanCheck = useRef<HumanCheckHandle>(null)
  const { formProps, isBusy, errorOf } = useSignUp(humanCheck)
  const { companyEmailDomain } = portalSettings
  return (
    <VisitorPage
      title="Criar conta"
      description="Depois de confirmar o e-mail, um administrador libera seu acesso."
    >
      <form {...formProps} className="space-y-5" aria-label="Criar conta">
        <EmailField
          autoComplete="username"
          error={errorOf('email')}
          hint={
            companyEmailDomain && !errorOf('email') ? `Use seu e-mail @${companyEmailDomain}.` : undefined
          }
        />
        <NewPasswordFields labels={labels} errorOf={errorOf} minLength={PASSWORD_MIN} />
        <HumanCheck ref={humanCheck} onPass={noop} />
        <Button type="submit" size="large" className="w-full" isBusy={isBusy}>
          Criar conta
        </Button>
        <p className="text-sm">
          <Link to="/login" className={textLinkClasses}>
            Voltar para o login
          </Link>
        </p>
      </form>
    </VisitorPage>
  )
}

/** The form asks for the pass when it is sent. */
function noop() {}

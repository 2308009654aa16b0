import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { signUpFormSchema, signUpMessages } from '#contract/account-forms.ts'
import { PASSWORD_MIN } from '#contract/passwords.ts'
import { ApiError, callPublic } from '#web/http/api.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { isUnexplained } from '#web/http/send-request.ts'
import { HumanCheck } from '#web/human-check/human-check.tsx'
import { type HumanCheckClient, requirePass } from '#web/human-check/human-check-client.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { FormAlert } from '#web/ui/form-alert.tsx'
import { EmailField } from '#web/ui/text-field.tsx'
import type { ToastContent } from '#web/ui/toast.tsx'
import { setUpForm, useForm } from '#web/ui/use-form.ts'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'
import { explainRefusal } from './change-password.ts'
import { storeMark } from './mail-link.ts'
import { NewPasswordFields } from './new-password-fields.tsx'

const { companyEmailDomain } = portalSettings
const schema = signUpFormSchema(companyEmailDomain)

/** /signup: e-mail, password and confirmation with a strength meter, and the human check. */
export function SignUpScreen() {
  return (
    <VisitorPage
      title="Criar conta"
      description="Depois de confirmar o e-mail, um administrador libera seu acesso."
    >
      <SignUpForm />
    </VisitorPage>
  )
}

function SignUpForm() {
  const navigate = useNavigate()
  const known = useLocation({ select: ({ state }) => state.email })
  const humanCheck = useRef<HumanCheckClient>(null)
  const { formProps, submitProps, failure, getError } = useForm({
    schema,
    explain: explainSignUpFailure,
    async send({ email, password }) {
      const captcha = await requirePass(humanCheck.current)
      if (captcha === false) return
      try {
        const redirect_to = `${location.origin}/auth/callback`
        const { confirmation_mark } = await callPublic('POST /api/auth/signup', {
          query: { redirect_to },
          body: { email, password, captcha },
        })
        storeMark(confirmation_mark)
        // Prefills the address when the person comes back.
        await navigate({ to: '/signup', state: { email }, replace: true })
        await navigate({ to: '/email-verification', state: { email } })
      } catch (error) {
        humanCheck.current?.reset()
        throw error
      }
    },
  })
  return (
    <form {...formProps} ref={setUpForm} className="space-y-5" aria-label="Criar conta">
      <EmailField
        defaultValue={known}
        autoComplete="username"
        error={getError('email')}
        hint={companyEmailDomain ? `Use seu e-mail @${companyEmailDomain}.` : undefined}
      />
      <NewPasswordFields label="Senha" getError={getError} minLength={PASSWORD_MIN} />
      <HumanCheck ref={humanCheck} />
      <FormAlert failure={failure} />
      <Button {...submitProps} size="large" className="w-full">
        Criar conta
      </Button>
      <p className="text-sm">
        <Link to="/privacidade" className={textLinkClasses}>
          Privacidade: o que o portal guarda de você, e por quanto tempo
        </Link>
      </p>
      <p className="text-sm">
        <Link to="/login" className={textLinkClasses}>
          Voltar para o login
        </Link>
      </p>
    </form>
  )
}

/** Shows the server's own detail; without one, the portal's title, above a lost connection. */
export function explainSignUpFailure(error: unknown): ToastContent {
  if (isUnexplained(error)) return { kind: 'error', title: signUpMessages.failed }
  if (!(error instanceof ApiError)) return toFailureToast(signUpMessages.failed, error)
  const [field] = (error.problem.fields ?? []).filter(({ path }) => path in schema.shape)
  if (error.problem.code === 'password-rejected') return explainRefusal(error, signUpMessages.failed)
  return { kind: 'error', title: field?.message ?? (error.message || signUpMessages.failed) }
}

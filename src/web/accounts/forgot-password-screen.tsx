import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { forgotPasswordFormSchema } from '#contract/account-forms.ts'
import { passwordMessages } from '#contract/passwords.ts'
import { callPublic } from '#web/http/api.ts'
import { Button, buttonClasses, textLinkClasses } from '#web/ui/button.tsx'
import { FormAlert } from '#web/ui/form-alert.tsx'
import { EmailField } from '#web/ui/text-field.tsx'
import { setUpForm, toFormFailure, useForm } from '#web/ui/use-form.ts'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'

/** /forgot-password: requests the mail with the reset link, then confirms that it was sent. */
export function ForgotPasswordScreen() {
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo !== undefined) return <RecoverySent email={sentTo} onAgain={() => setSentTo(undefined)} />
  return (
    <VisitorPage
      title="Esqueci minha senha"
      description="Informe seu e-mail. Enviaremos um link para criar uma nova senha."
    >
      <ForgotPasswordForm onSent={setSentTo} />
    </VisitorPage>
  )
}

function ForgotPasswordForm({ onSent }: { onSent: (email: string) => void }) {
  const known = useLocation({ select: ({ state }) => state.email })
  const { formProps, submitProps, failure, getError } = useForm({
    schema: forgotPasswordFormSchema,
    toToast: ({ message }) => ({
      kind: 'error',
      title: passwordMessages.validation,
      description: message,
    }),
    explain: explainRecoverFailure,
    toAlert(error) {
      const failure = toFormFailure(error)
      return failure.until ? { ...failure, title: 'Já recebemos um pedido há pouco.' } : failure
    },
    async send({ email }) {
      const redirect_to = `${location.origin}/reset-password`
      await callPublic('POST /api/auth/recover', { query: { redirect_to }, body: { email } })
      onSent(email)
    },
  })
  return (
    <form {...formProps} ref={setUpForm} className="space-y-5" aria-label="Esqueci minha senha">
      <EmailField defaultValue={known} autoComplete="username" error={getError('email')} />
      <FormAlert failure={failure} />
      <Button {...submitProps} size="large" className="w-full">
        Enviar link
      </Button>
      <p className="text-sm">
        <Link to="/login" className={textLinkClasses}>
          Voltar para o login
        </Link>
      </p>
    </form>
  )
}

export const explainRecoverFailure = (error: unknown) =>
  toFailureToast(passwordMessages.recoverFailed, error, passwordMessages.recoverFailedDetail)

/** Never reveals whether the address has an account. */
function RecoverySent({ email, onAgain }: { email: string; onAgain: () => void }) {
  const notes = useRef<HTMLDivElement>(null)
  // The focused form is gone: focusing the notes announces them and keeps the keyboard near the buttons.
  useEffect(() => notes.current?.focus(), [])
  return (
    <VisitorPage title={passwordMessages.recoverSent} hasPanel={false}>
      <div ref={notes} tabIndex={-1} role="status" className="space-y-4 text-sm leading-relaxed outline-none">
        <p>
          Se houver uma conta com o e-mail <strong className="font-medium">{email}</strong>, você receberá um
          link para criar uma nova senha.
        </p>
        <ul className="list-disc space-y-2 pl-5 marker:text-muted">
          <li>O link expira em 1 hora e só pode ser usado uma vez.</li>
          <li>Não encontrou o e-mail? Verifique também a pasta de spam.</li>
        </ul>
      </div>
      <div className="grid gap-3">
        <Link to="/login" state={{ email }} className={buttonClasses('primary', 'large')}>
          Voltar para o login
        </Link>
        <Button variant="secondary" size="large" onClick={onAgain}>
          Usar outro e-mail
        </Button>
      </div>
    </VisitorPage>
  )
}

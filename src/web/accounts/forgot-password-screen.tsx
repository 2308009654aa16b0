import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { EmailField } from '#web/ui/email-field.tsx'
import { textLinkClasses } from '#web/ui/text-link.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'
import { RecoverySent } from './recovery-sent.tsx'
import { useForgotPassword } from './use-forgot-password.ts'

/** /forgot-password: asks for the mail with the reset link, then says that it is on its way (SPEC section 2). */
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
  const { formProps, isBusy, errorOf } = useForgotPassword(onSent)
  return (
    <form {...formProps} className="space-y-5" aria-label="Esqueci minha senha">
      <EmailField autoComplete="username" error={errorOf('email')} />
      <Button type="submit" size="large" className="w-full" isBusy={isBusy}>
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

import { useState } from 'react'
import { RESET_PASSWORD_MIN } from '#contract/passwords.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { NewPasswordFields } from '#web/ui/new-password-fields.tsx'
import { PasswordRequirements } from './password-requirements.tsx'
import type { Recovery } from './recovery-session.ts'
import { useResetPassword } from './use-reset-password.ts'

const labels = { password: 'Nova senha', confirmation: 'Confirmar nova senha' }

interface ResetPasswordFormProps {
  recovery: Recovery
  /** Called when the server no longer takes the recovery. */
  onEnded: () => void
}

/** The new password, twice, with its requirements and its strength. */
export function ResetPasswordForm({ recovery, onEnded }: ResetPasswordFormProps) {
  const [typed, setTyped] = useState('')
  const { formProps, isBusy, errorOf, isDone } = useResetPassword(recovery, onEnded)
  if (isDone)
    return (
      <Alert kind="success" title="Sua senha foi redefinida.">
        Você será levado ao login em instantes.
      </Alert>
    )
  return (
    <form {...formProps} className="space-y-5" aria-label="Redefinir senha">
      <PasswordRequirements password={typed} />
      <NewPasswordFields
        labels={labels}
        errorOf={errorOf}
        minLength={RESET_PASSWORD_MIN}
        onTyped={setTyped}
        hasHints={false}
      />
      <Button type="submit" size="large" className="w-full" isBusy={isBusy}>
        Redefinir senha
      </Button>
    </form>
  )
}

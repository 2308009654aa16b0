import { useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { signInMessages } from '#contract/account-forms.ts'
import { sessionMessages } from '#contract/messages.ts'
import { forcedChangeFormSchema, PASSWORD_MIN, passwordMessages } from '#contract/passwords.ts'
import { endLocalSession, refreshSession, signOut, useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { FormAlert } from '#web/ui/form-alert.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { useSubmit } from '#web/ui/use-submit.ts'
import { changePassword, explainRefusal } from './change-password.ts'
import { NewPasswordFields } from './new-password-fields.tsx'

/**
 * Requires a new password after a sign-in with one that is too
 * short. Cannot be dismissed, except by signing out.
 */
export function ForcedPasswordChange() {
  const formId = useId()
  const navigate = useNavigate()
  const { formProps, submitProps, failure, getError } = useForm({
    schema: forcedChangeFormSchema,
    explain: (error) => explainRefusal(error, passwordMessages.updateFailed),
    async send({ password }) {
      await changePassword(password)
      showToast({ kind: 'success', title: passwordMessages.forcedDone })
      // Only a refreshed session no longer requires the change; if that fails, signing in again does it.
      await refreshSession().catch(() => endLocalSession())
      await navigate({ to: '/' })
    },
  })
  const { submit: leave, isBusy: isLeaving } = useSubmit({
    send: () => signOut(),
    onDone: () => showToast({ kind: 'success', title: sessionMessages.signedOut }),
    onFailed: () => showToast({ kind: 'error', title: sessionMessages.signOutFailed }),
  })
  return (
    <Dialog
      isOpen
      title={signInMessages.forcedChangeTitle}
      description="Sua senha atual é mais curta do que o portal exige. Para continuar, crie uma nova senha com pelo menos 12 caracteres, diferente das últimas 5."
      actions={
        <>
          <Button variant="secondary" isBusy={isLeaving} onClick={() => void leave()}>
            Sair
          </Button>
          <Button {...submitProps} form={formId}>
            Atualizar senha
          </Button>
        </>
      }
    >
      <form {...formProps} id={formId} className="space-y-5" aria-label={signInMessages.forcedChangeTitle}>
        <NewPasswordFields email={useSession()?.user.email} getError={getError} minLength={PASSWORD_MIN} />
        <FormAlert failure={failure} />
      </form>
    </Dialog>
  )
}

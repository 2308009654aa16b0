import { useId, useState } from 'react'
import { signInMessages } from '#contract/accounts.ts'
import { sessionMessages } from '#contract/messages.ts'
import { PASSWORD_MIN } from '#contract/passwords.ts'
import { signOut } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { NewPasswordFields } from '#web/ui/new-password-fields.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useForcedChange } from './use-forced-change.ts'

const labels = { password: 'Nova senha', confirmation: 'Confirmar nova senha' }

/** The dialog that a sign-in with a too short password ends in. It cannot be dismissed, only left by signing out. */
export function ForcedPasswordChange() {
  const formId = useId()
  const { formProps, isBusy, errorOf } = useForcedChange()
  const { leave, isLeaving } = useLeave()
  return (
    <Dialog
      isOpen
      title={signInMessages.forcedChangeTitle}
      description="Sua senha atual é mais curta do que o portal exige. Para continuar, crie uma nova senha com pelo menos 12 caracteres, diferente das últimas 5."
      actions={
        <>
          <Button variant="secondary" isBusy={isLeaving} onClick={leave}>
            Sair
          </Button>
          <Button type="submit" form={formId} isBusy={isBusy}>
            Atualizar senha
          </Button>
        </>
      }
    >
      <form {...formProps} id={formId} className="space-y-5" aria-label={signInMessages.forcedChangeTitle}>
        <NewPasswordFields labels={labels} errorOf={errorOf} minLength={PASSWORD_MIN} />
      </form>
    </Dialog>
  )
}

function useLeave() {
  const [isLeaving, setIsLeaving] = useState(false)
  const leave = async () => {
    setIsLeaving(true)
    try {
      await signOut({ reason: 'button' })
      showToast({ kind: 'success', title: sessionMessages.signedOut })
    } catch {
      showToast({ kind: 'error', title: sessionMessages.signOutFailed })
    } finally {
      setIsLeaving(false)
    }
  }
  return { leave, isLeaving }
}

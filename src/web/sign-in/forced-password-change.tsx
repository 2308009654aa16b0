import { useState } from 'react'
import { sessionMessages, signInMessages } from '#contract/messages.ts'
import { signOut } from '#web/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { showToast } from '#web/ui/toast.tsx'

/** The dialog that a sign-in with a too short password ends in. It cannot be dismissed, only left by signing out. */
export function ForcedPasswordChange() {
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
  // The form for the new password goes between the description and the actions.
  return (
    <Dialog
      isOpen
      title={signInMessages.forcedChangeTitle}
      description="Sua senha atual é mais curta do que o portal exige. Para continuar, é preciso criar uma nova senha com pelo menos 12 caracteres."
      actions={
        <Button variant="secondary" isBusy={isLeaving} onClick={leave}>
          Sair
        </Button>
      }
    />
  )
}

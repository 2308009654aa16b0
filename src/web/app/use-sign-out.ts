import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { sessionMessages } from '#contract/messages.ts'
import { signOut } from '#web/session/session.ts'
import { leaveQuestion } from '#web/ui/leave-question.ts'
import { showToast } from '#web/ui/toast.tsx'

/** What the button 'Sair' does: asks where something would be lost, ends the session, says how it went and goes to /login. */
export function useSignOut(): { leave: () => Promise<void>; isLeaving: boolean } {
  const navigate = useNavigate()
  const [isLeaving, setIsLeaving] = useState(false)
  const leave = async () => {
    if (isLeaving || (await leaveQuestion.ask?.())) return
    setIsLeaving(true)
    try {
      await signOut({ reason: 'button' })
      showToast({ kind: 'success', title: sessionMessages.signedOut })
      await navigate({ to: '/login' })
    } catch (error) {
      // Whatever fails there says it in an Error.
      const { message: description } = error as Error
      showToast({ kind: 'error', title: sessionMessages.signOutFailed, description })
    } finally {
      setIsLeaving(false)
    }
  }
  return { leave, isLeaving }
}

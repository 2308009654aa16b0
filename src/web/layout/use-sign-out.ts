import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { sessionMessages } from '#contract/messages.ts'
import { signOut } from '#web/session.ts'
import { showToast } from '#web/ui/toast.tsx'

/** What the button 'Sair' does: ends the session, says how it went and goes to /login. */
export function useSignOut(): { leave: () => Promise<void>; isLeaving: boolean } {
  const navigate = useNavigate()
  const [isLeaving, setIsLeaving] = useState(false)
  const leave = async () => {
    if (isLeaving) return
    setIsLeaving(true)
    try {
      await signOut({ reason: 'button' })
      showToast({ kind: 'success', title: sessionMessages.signedOut })
      await navigate({ to: '/login' })
    } catch (error) {
      const description = error instanceof Error ? error.message : undefined
      showToast({ kind: 'error', title: sessionMessages.signOutFailed, ...(description && { description }) })
    } finally {
      setIsLeaving(false)
    }
  }
  return { leave, isLeaving }
}

import { useNavigate } from '@tanstack/react-router'
import { sessionMessages } from '#contract/messages.ts'
import { activeLeaveGuard, signOut } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'

/** Signs out: asks for confirmation where changes would be lost, shows the result, goes to /login. */
export function useSignOut() {
  const navigate = useNavigate()
  const { submit, isBusy } = useSubmit({
    async send() {
      await signOut()
      showToast({ kind: 'success', title: sessionMessages.signedOut })
      await navigate({ to: '/login' })
    },
    onFailed: sessionMessages.signOutFailed,
  })
  const confirmAndSignOut = async () => {
    if (!isBusy && !(await activeLeaveGuard.ask?.())) await submit()
  }
  return { confirmAndSignOut, isSigningOut: isBusy }
}

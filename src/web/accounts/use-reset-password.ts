import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { passwordMessages } from '#contract/passwords.ts'
import { ApiError } from '#web/http/api.ts'
import { forgetSession, getSession } from '#web/session/session.ts'
import { NEW_PASSWORD_FIELDS } from '#web/ui/new-password-fields.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { checkReset, noticeOfReset } from './check-reset.ts'
import { type Recovery, setPassword } from './recovery-session.ts'

/** SPEC section 9. */
const REDIRECT_MS = 2_000

/** The reset from the press of its button to /login (SPEC sections 4, 5 and 8). */
export function useResetPassword(recovery: Recovery, onEnded: () => void) {
  const [isDone, setIsDone] = useState(false)
  useRedirect(isDone)
  const form = useForm({
    fields: NEW_PASSWORD_FIELDS,
    check: checkReset,
    noticeOf: noticeOfReset,
    async send({ password }) {
      try {
        await setPassword(recovery, password)
      } catch (error) {
        showToast({
          kind: 'error',
          title: passwordMessages.resetFailed,
          ...(error instanceof Error && { description: error.message }),
        })
        const status = error instanceof ApiError ? error.status : undefined
        if (status === 401 || status === 403) onEnded()
        return status === 422 ? [{ field: 'password', message: (error as ApiError).message }] : undefined
      }
      showToast({ kind: 'success', title: passwordMessages.reset, description: 'Entre com a nova senha.' })
      setIsDone(true)
      // The server has ended every session of this person; the one stored here would only fail.
      if (getSession()?.user.id === recovery.userId) forgetSession()
      return undefined
    },
  })
  return { ...form, isDone }
}

function useRedirect(isDone: boolean): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => void navigate({ to: '/login', replace: true }), REDIRECT_MS)
    return () => clearTimeout(timer)
  }, [isDone, navigate])
}

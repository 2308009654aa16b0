import { useState } from 'react'
import { verificationMessages } from '#contract/messages.ts'
import { signInRoutes } from '#contract/sign-in.ts'
import { ApiError, callApi } from '#web/api.ts'
import { Button } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { RESEND_COOLDOWN_SECONDS, useResendCooldown } from './resend-cooldown.ts'

/** The yellow banner of people whose e-mail is not verified, with a button that sends the mail again. */
export function UnverifiedBanner({ email }: { email: string }) {
  const [isSending, setIsSending] = useState(false)
  const { secondsLeft, start } = useResendCooldown(email)

  async function resend(): Promise<void> {
    if (isSending || secondsLeft > 0 || !email) return
    setIsSending(true)
    try {
      await callApi(signInRoutes.resendVerification, { body: { type: 'signup', email } })
      start(RESEND_COOLDOWN_SECONDS)
      const { resentOnReports: title, resentDetail: description } = verificationMessages
      showToast({ kind: 'success', title, description })
    } catch (error) {
      if (error instanceof ApiError && error.status === 429)
        start(error.retryAfterSeconds ?? RESEND_COOLDOWN_SECONDS)
      const description = (error instanceof Error && error.message) || verificationMessages.resendFailedDetail
      showToast({ kind: 'error', title: verificationMessages.resendFailed, description })
    } finally {
      setIsSending(false)
    }
  }

  return (
    <aside
      aria-label="Verificação de e-mail"
      className="flex shrink-0 flex-wrap items-center justify-center gap-x-4 gap-y-2 border-amber-400/60 border-b bg-amber-100 px-4 py-2 text-center text-amber-950 text-sm dark:bg-amber-300"
    >
      <p>Seu e-mail ainda não foi verificado. Confirme-o pelo link que enviamos para {email}.</p>
      <Button
        variant="secondary"
        isBusy={isSending}
        disabled={secondsLeft > 0}
        onClick={() => void resend()}
        className="tabular-nums"
      >
        {labelOf(isSending, secondsLeft)}
      </Button>
    </aside>
  )
}

function labelOf(isSending: boolean, secondsLeft: number): string {
  if (isSending) return verificationMessages.resending
  return secondsLeft > 0 ? verificationMessages.resendIn(secondsLeft) : verificationMessages.resend
}

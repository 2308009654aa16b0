import { useState } from 'react'
import { accountRoutes } from '#contract/accounts.ts'
import { verificationMessages } from '#contract/messages.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { showToast } from '#web/ui/toast-store.ts'
import { RESEND_COOLDOWN_SECONDS, useResendCooldown } from './resend-cooldown.ts'

/**
 * What a resend button does and says: one mail at a time, then a rest of 60 seconds (SPEC section 4).
 * @param email nothing happens while it is empty
 * @param sentTitle the title of the notice once it is sent; the screens differ (SPEC section 8)
 */
export function useResendVerification(email: string, sentTitle: string) {
  const [isSending, setIsSending] = useState(false)
  const { secondsLeft, start } = useResendCooldown(email)

  async function resend(): Promise<void> {
    if (isSending || secondsLeft > 0 || !email) return
    setIsSending(true)
    try {
      await callApi(accountRoutes.resendVerification, { body: { type: 'signup', email } })
      start(RESEND_COOLDOWN_SECONDS)
      showToast({ kind: 'success', title: sentTitle, description: verificationMessages.resentDetail })
    } catch (error) {
      if (error instanceof ApiError && error.status === 429)
        start(error.retryAfterSeconds ?? RESEND_COOLDOWN_SECONDS)
      const description = (error instanceof Error && error.message) || verificationMessages.resendFailedDetail
      showToast({ kind: 'error', title: verificationMessages.resendFailed, description })
    } finally {
      setIsSending(false)
    }
  }
  return { label: labelOf(isSending, secondsLeft), isSending, isResting: secondsLeft > 0, resend }
}

function labelOf(isSending: boolean, secondsLeft: number): string {
  if (isSending) return verificationMessages.resending
  return secondsLeft > 0 ? verificationMessages.resendIn(secondsLeft) : verificationMessages.resend
}

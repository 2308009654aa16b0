import { useEffect, useState } from 'react'
import { verificationMessages } from '#contract/messages.ts'
import { ApiError, callPublic } from '#web/http/api.ts'
import { Button, type ButtonSize, type ButtonVariant } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { failureNotice, useSubmit } from '#web/ui/use-submit.ts'
import { sharedStorage } from './browser-storage.ts'

interface ResendButtonProps {
  email: string
  sentTitle?: string
  variant?: ButtonVariant
  size?: ButtonSize
}

/** Sends the verification mail again. While it rests it keeps the focus, so that nobody loses their place. */
export function ResendButton({ email, sentTitle = verificationMessages.resent, ...look }: ResendButtonProps) {
  const { label, isSending, isResting, resend } = useResendVerification(email, sentTitle)
  return (
    <Button
      {...look}
      isBusy={isSending}
      aria-disabled={isResting || undefined}
      onClick={() => void resend()}
      className="tabular-nums"
    >
      {label}
    </Button>
  )
}

/**
 * What a resend button does and says: one mail at a time, then a rest of 60 seconds.
 * @param email nothing happens while it is empty
 * @param sentTitle the title of the notice once it is sent; the screens differ
 */
function useResendVerification(email: string, sentTitle: string) {
  const { secondsLeft, start } = useResendCooldown(email)
  const { submit, isBusy: isSending } = useSubmit({
    send: () => callPublic('POST /api/auth/resend', { body: { type: 'signup', email } }),
    onDone() {
      start(RESEND_COOLDOWN_SECONDS)
      showToast({ kind: 'success', title: sentTitle, description: verificationMessages.resentDetail })
    },
    onFailed(error) {
      if (error instanceof ApiError && error.status === 429)
        start(error.retryAfterSeconds ?? RESEND_COOLDOWN_SECONDS)
      showToast(
        failureNotice(verificationMessages.resendFailed, error, verificationMessages.resendFailedDetail),
      )
    },
  })
  const resend = async () => {
    if (secondsLeft === 0 && email) await submit()
  }
  return { label: labelOf(isSending, secondsLeft), isSending, isResting: secondsLeft > 0, resend }
}

function labelOf(isSending: boolean, secondsLeft: number): string {
  if (isSending) return verificationMessages.resending
  return secondsLeft > 0 ? verificationMessages.resendIn(secondsLeft) : verificationMessages.resend
}

/** The resend button rests for a minute after each mail. */
const RESEND_COOLDOWN_SECONDS = 60
/** No rest that the server asks for is longer; guards against a clock that was set back. */
const MAX_SECONDS = 3_600

/** Whole seconds from `now` until `end`, both milliseconds since the epoch; 0 once it is over or makes no sense. */
export function secondsUntil(end: number, now: number): number {
  const seconds = Math.ceil((end - now) / 1_000)
  return seconds > 0 && seconds <= MAX_SECONDS ? seconds : 0
}

/** The countdown of one address; it survives a reload and is shared by the tabs of this browser. */
function useResendCooldown(email: string) {
  const storageKey = `patio.resend-until.${email}`
  const [secondsLeft, setSecondsLeft] = useState(() => readSeconds(storageKey))
  const isCounting = secondsLeft > 0

  useEffect(() => {
    const update = () => setSecondsLeft(readSeconds(storageKey))
    update()
    if (!isCounting) return
    const timer = setInterval(update, 250)
    return () => clearInterval(timer)
  }, [storageKey, isCounting])

  function start(seconds: number): void {
    sharedStorage.set(storageKey, String(Date.now() + seconds * 1_000))
    setSecondsLeft(readSeconds(storageKey))
  }
  return { secondsLeft, start }
}

function readSeconds(storageKey: string): number {
  return secondsUntil(Number(sharedStorage.get(storageKey)), Date.now())
}

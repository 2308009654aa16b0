import { useState } from 'react'
import { verificationMessages } from '#contract/messages.ts'
import { ApiError, callPublic } from '#web/http/api.ts'
import { Button, type ButtonSize, type ButtonVariant } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSecondsLeft } from '#web/ui/use-seconds-left.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { sharedStorage } from './browser-storage.ts'
import { hashEmail } from './device-token.ts'

interface ResendButtonProps {
  email: string
  sentTitle?: string
  variant?: ButtonVariant
  size?: ButtonSize
}

/**
 * Sends the verification mail again, then has a cooldown of 60 seconds,
 * during which it keeps the focus. Does nothing while `email` is empty.
 */
export function ResendButton({ email, sentTitle = verificationMessages.resent, ...rest }: ResendButtonProps) {
  // Survives a reload and applies to the browser's other tabs.
  const storageKey = `patio.resend-at.${hashEmail(email)}`
  const [readyAt, setReadyAt] = useState(() => parseCooldown(sharedStorage.get(storageKey), Date.now()))
  const secondsLeft = useSecondsLeft(readyAt)
  const startCooldown = (seconds = RESEND_COOLDOWN_SECONDS) => {
    const until = Date.now() + seconds * 1_000
    sharedStorage.set(storageKey, String(until))
    setReadyAt(until)
  }
  const { submit, isBusy } = useSubmit({
    send: () => callPublic('POST /api/auth/resend', { body: { type: 'signup', email } }),
    onDone() {
      startCooldown()
      showToast({ kind: 'success', title: sentTitle, description: verificationMessages.resentDetail })
    },
    onFailed(error) {
      if (error instanceof ApiError && error.status === 429) startCooldown(error.retryAfterSeconds)
      showToast(
        toFailureToast(verificationMessages.resendFailed, error, verificationMessages.resendFailedDetail),
      )
    },
  })
  const { resending, resendIn, resend } = verificationMessages
  return (
    <Button
      {...rest}
      isBusy={isBusy}
      aria-disabled={secondsLeft > 0 || undefined}
      onClick={() => {
        if (secondsLeft === 0 && email) void submit()
      }}
      className="tabular-nums"
    >
      {isBusy ? resending : secondsLeft > 0 ? resendIn(secondsLeft) : resend}
    </Button>
  )
}

const RESEND_COOLDOWN_SECONDS = 60
/** The server's longest cooldown; guards against a clock that was set back. */
const MAX_COOLDOWN_MS = 3_600_000

/**
 * Parses the stored end of a cooldown, in ms since the epoch;
 * undefined if there is none or it is implausible.
 */
export function parseCooldown(stored: string | null, now: number): number | undefined {
  const until = Number(stored)
  return until - now <= MAX_COOLDOWN_MS ? until : undefined
}

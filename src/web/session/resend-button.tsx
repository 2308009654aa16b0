import { verificationMessages } from '#contract/messages.ts'
import { Button, type ButtonSize, type ButtonVariant } from '#web/ui/button.tsx'
import { useResendVerification } from './resend-verification.ts'

interface ResendButtonProps {
  email: string
  /** The title of the notice once it is sent. */
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

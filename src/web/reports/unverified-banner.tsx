import { verificationMessages } from '#contract/messages.ts'
import { useResendVerification } from '#web/session/resend-verification.ts'
import { Button } from '#web/ui/button.tsx'

/** The yellow banner of people whose e-mail is not verified, with a button that sends the mail again. */
export function UnverifiedBanner({ email }: { email: string }) {
  const { label, isSending, isResting, resend } = useResendVerification(
    email,
    verificationMessages.resentOnReports,
  )
  return (
    <aside
      aria-label="Verificação de e-mail"
      className="flex shrink-0 flex-wrap items-center justify-center gap-x-4 gap-y-2 border-amber-400/60 border-b bg-amber-100 px-4 py-2 text-center text-amber-950 text-sm dark:bg-amber-300"
    >
      <p>Seu e-mail ainda não foi verificado. Confirme-o pelo link que enviamos para {email}.</p>
      <Button
        variant="secondary"
        isBusy={isSending}
        disabled={isResting}
        onClick={() => void resend()}
        className="tabular-nums"
      >
        {label}
      </Button>
    </aside>
  )
}

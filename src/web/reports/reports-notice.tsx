import { reportMessages, verificationMessages } from '#contract/messages.ts'
import { useResendVerification } from '#web/session/resend-verification.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { FailedLoad } from '#web/ui/failed-load.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

/** While the person's reports are being read; as large as the tabs and the report will be. */
export function ReportsLoading() {
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-[calc(2.75rem+1px)] shrink-0 items-center justify-center border-line border-b bg-surface">
        <p role="status" className="text-muted text-sm">
          {reportMessages.loading}
        </p>
      </div>
      <div className="min-h-0 flex-1 p-4">
        <Skeleton className="size-full" />
      </div>
    </div>
  )
}

/** The account waits for an administrator. */
export function PendingApproval() {
  return (
    <div className="p-4">
      <Alert kind="warning" className="mx-auto mt-4 max-w-2xl">
        {reportMessages.pending}
      </Alert>
    </div>
  )
}

/** There is nothing to show; `onRetry` is given where trying again may help. */
export function NoReports({ onRetry, isRetrying = false }: { onRetry?: () => void; isRetrying?: boolean }) {
  const className = 'mx-auto mt-4 max-w-2xl'
  return (
    <div className="p-4">
      {onRetry ? (
        <FailedLoad kind="info" onRetry={onRetry} isRetrying={isRetrying} className={className}>
          {reportMessages.none}
        </FailedLoad>
      ) : (
        <Alert kind="info" className={className}>
          {reportMessages.none}
        </Alert>
      )}
    </div>
  )
}

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

import { reportMessages, verificationMessages } from '#contract/messages.ts'
import { ResendButton } from '#web/session/resend-button.tsx'
import { useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { formatDate } from '#web/ui/format-instant.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import { useOwnReports } from './own-reports.ts'
import { PendingApproval } from './pending-approval.tsx'
import { AskAdministrator, NoReports, ReportTabs } from './report-tabs.tsx'

// For the route's loader: one chunk carries both.
export { prefetchOwnReports } from './own-reports.ts'

export function ReportsScreen() {
  const session = useSession()
  return (
    <>
      <h1 className="sr-only">Relatórios</h1>
      {session && <OwnReports key={session.user.id} userId={session.user.id} email={session.user.email} />}
    </>
  )
}

function OwnReports({ userId, email }: { userId: string; email: string }) {
  const view = useOwnReports(userId)
  const isUnverified = 'emailVerified' in view && !view.emailVerified
  return (
    <>
      {isUnverified && <UnverifiedBanner email={email} />}
      {view.kind === 'loading' && <ReportsLoading />}
      {view.kind === 'failed' && <NoReports onRetry={view.retry} isRetrying={view.isRetrying} />}
      {view.kind === 'ended' && <AccessEnded endedOn={view.endedOn} />}
      {view.kind === 'pending' && <PendingApproval userId={userId} {...view} />}
      {view.kind === 'approved' && <ReportTabs userId={userId} reports={view.reports} />}
    </>
  )
}

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

function AccessEnded({ endedOn }: { endedOn: string }) {
  const day = formatDate(endedOn)
  return (
    <div className="p-4">
      <Alert kind="warning" title="Acesso encerrado" className="mx-auto mt-4 max-w-2xl">
        {reportMessages.ended(day)}{' '}
        <AskAdministrator
          message={`Olá! Meu acesso ao portal terminou em ${day}. Podem prorrogá-lo? Preciso dele para `}
        />
      </Alert>
    </div>
  )
}

/** The yellow banner of people whose e-mail is not verified, with a button that sends the mail again. */
export function UnverifiedBanner({ email }: { email: string }) {
  return (
    <aside
      aria-label="Verificação de e-mail"
      className="flex shrink-0 flex-wrap items-center justify-center gap-x-4 gap-y-2 border-amber-400/60 border-b bg-amber-100 sideways:group-has-data-whole-height/frame:hidden px-4 py-2 text-center text-amber-950 text-sm dark:bg-amber-300"
    >
      <p>Seu e-mail ainda não foi verificado. Confirme-o pelo link que enviamos para {email}.</p>
      <ResendButton email={email} sentTitle={verificationMessages.resentOnReports} variant="secondary" />
    </aside>
  )
}

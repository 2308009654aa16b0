import { preconnect } from 'react-dom'
import { reportMessages, verificationMessages } from '#contract/messages.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { queryClient } from '#web/http/query-client.ts'
import { ResendButton } from '#web/session/resend-button.tsx'
import { getSession, useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { formatDate } from '#web/ui/format-instant.ts'
import { LazyPart } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { loadPowerBi } from './embed/powerbi-client.ts'
import { ReportPlaceholder } from './embed/report-loading.tsx'
import { NoticesBar } from './notices-bar.tsx'
import { ownReportsQuery, useOwnReports } from './own-reports.ts'
import { ReportBarLoading } from './report-bar.tsx'
import { NoReports, ReportTabs } from './report-tabs.tsx'
import type { WithoutAccessProps } from './without-access.tsx'

// The sign-in loads this module while the person types; here the first request goes first.
setTimeout(() => loadPowerBi().catch(() => {}))

/** Prefetches what the screen needs: the reports, and a connection to their host. */
export function prefetchOwnReports(): void {
  if (portalSettings.reportEmbedBase.startsWith('https:')) preconnect(portalSettings.reportEmbedBase)
  const userId = getSession()?.user.id
  if (userId !== undefined) void queryClient.prefetchQuery(ownReportsQuery(userId))
}

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
  const { reports, hasFailed, isRetrying, retry, refetch } = useOwnReports(userId)
  if (!reports) return hasFailed ? <NoReports onRetry={retry} isRetrying={isRetrying} /> : <ReportsLoading />
  const { approved, endedOn, emailVerified } = reports
  const checkApproval = async () => (await refetch({ throwOnError: true })).data?.approved
  return (
    <>
      <NoticesBar userId={userId} initial={reports.notices} />
      {!emailVerified && <UnverifiedBanner email={email} />}
      {approved && !endedOn ? (
        <ReportTabs userId={userId} reports={reports} />
      ) : (
        <WithoutAccess {...{ userId, endedOn, emailVerified, checkApproval }} />
      )}
    </>
  )
}

/** The placeholder while the reports load; as large as the tabs and the report. */
function ReportsLoading() {
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ReportBarLoading />
      <div className="relative min-h-0 flex-1">
        <ReportPlaceholder
          text={reportMessages.loading}
          advice="Confira sua conexão. Se nada mudar, recarregue a página."
        />
      </div>
    </div>
  )
}

/** Explains why there are no reports; the next steps are a chunk of their own. */
function WithoutAccess(props: WithoutAccessProps) {
  const { endedOn } = props
  return (
    <div className="mx-auto w-full max-w-2xl space-y-4 px-4 py-8">
      <Alert kind="warning">
        {endedOn === null ? reportMessages.pending : reportMessages.ended(formatDate(endedOn))}
      </Alert>
      <LazyPart
        name="without-access"
        load={() => import('./without-access.tsx')}
        loading={<Skeleton className="h-96 rounded-xl" />}
        failed="O pedido de acesso não pôde ser aberto agora."
      >
        {({ NextSteps }) => <NextSteps {...props} />}
      </LazyPart>
    </div>
  )
}

/** The yellow banner for an unverified e-mail, with a button that resends the mail. */
function UnverifiedBanner({ email }: { email: string }) {
  return (
    <aside
      aria-label="Verificação de e-mail"
      className="below-report flex shrink-0 flex-wrap items-center justify-center gap-x-4 gap-y-2 border-amber-400/60 border-b bg-amber-100 group-has-data-[whole-height=always]/frame:hidden sideways:group-has-data-whole-height/frame:hidden px-4 py-2 text-center text-amber-950 text-sm dark:border-amber-400/30 dark:bg-[#4a3a0a] dark:text-amber-100"
    >
      <p>Seu e-mail ainda não foi verificado. Confirme-o pelo link que enviamos para {email}.</p>
      <ResendButton email={email} sentTitle={verificationMessages.resentOnReports} variant="secondary" />
    </aside>
  )
}

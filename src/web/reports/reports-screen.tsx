import { useSession } from '#web/session/session.ts'
import { useOwnReports } from './own-reports.ts'
import { ReportTabs } from './report-tabs.tsx'
import { NoReports, PendingApproval, ReportsLoading, UnverifiedBanner } from './reports-notice.tsx'

// For the route's loader: one chunk carries both.
export { prefetchOwnReports } from './own-reports.ts'

/** /power-bi, the reports of the signed-in person. */
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
      {view.kind === 'pending' && <PendingApproval />}
      {view.kind === 'approved' && <ReportTabs userId={userId} reports={view.reports} />}
    </>
  )
}

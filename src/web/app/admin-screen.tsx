import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { ReportSettingsCard } from '#web/reports/settings/report-settings-card.tsx'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { buttonClasses, textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { ApprovalQueue } from '#web/users/approval-queue.tsx'
import { RequestQueue } from '#web/users/request-queue.tsx'
import { FIRST_WAITING, MORE_WAITING, requestsQuery, waitingQuery } from '#web/users/user-queries.ts'
import { UsersCard } from '#web/users/users-card.tsx'
import { Overview, ReportStates } from './admin-overview.tsx'
import { ServiceStatus } from './service-status.tsx'

// For the route's loader: one chunk holds both.
export { prefetchUsers } from '#web/users/user-view.ts'

const invite = (
  <Link to="/admin/convites" className={buttonClasses('primary')}>
    Convidar pessoas
  </Link>
)

/** /admin: what needs attention, then who may see what, and which report each area shows. */
export function AdminScreen() {
  const isMoving = useQueuesLoading(FIRST_WAITING)
  return (
    <AdminPage title="Administração" action={invite} isWide>
      <ServiceStatus />
      <Overview />
      <ApprovalQueue />
      {/* Hidden until its offset is known, so that nothing jumps. */}
      <div className={classNames('space-y-6', isMoving && 'invisible')}>
        <RequestQueue />
        <ReportStates />
        <ReportSettingsCard />
        <UsersCard />
      </div>
    </AdminPage>
  )
}

/** /admin/pessoas: the table alone. */
export function PeopleScreen() {
  return (
    <AdminPage title="Pessoas" action={invite} isWide>
      <UsersCard />
    </AdminPage>
  )
}

/** /admin/relatorios: which report each area shows. */
export function AreaReportsScreen() {
  return (
    <AdminPage title="Relatórios" isWide>
      <ReportSettingsCard />
    </AdminPage>
  )
}

/** /admin/aguardando: who waits for approval, and who asks for more. */
export function WaitingScreen() {
  const isMoving = useQueuesLoading(MORE_WAITING)
  const waiting = useQuery(waitingQuery(MORE_WAITING)).data?.people
  const requests = useQuery(requestsQuery).data
  return (
    <AdminPage title="Aguardando aprovação" action={invite} isWide>
      <div className={classNames('space-y-6', isMoving && 'invisible')}>
        <ApprovalQueue first={MORE_WAITING} title="Contas novas" />
        {waiting && waiting.length > 1 && (
          <Link to="/admin/pessoas" search={{ status: 'pending' }} className={`text-sm ${textLinkClasses}`}>
            Aprovar ou excluir várias de uma vez, em Pessoas
          </Link>
        )}
        <RequestQueue first={MORE_WAITING} />
        {waiting?.length === 0 && requests?.length === 0 && (
          <p className="rounded-xl border border-line border-dashed px-6 py-16 text-center text-muted text-sm">
            Tudo respondido: ninguém aguarda aprovação, e ninguém pediu mais acesso.
          </p>
        )}
      </div>
    </AdminPage>
  )
}

/** Whether the height of the queues and of the lists of areas is unknown; a failure ends the wait. */
function useQueuesLoading(first: number): boolean {
  const queries = [useQuery(waitingQuery(first)), useQuery(requestsQuery), useQuery(catalogueQuery)]
  return queries.some(({ isPending, failureCount }) => isPending && failureCount === 0)
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useOptionalChunk } from '#web/http/load-chunk.ts'
import { ReportSettingsCard } from '#web/reports/settings/report-settings-card.tsx'
import { textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { getDistanceFromTop, getMainElement } from '#web/ui/main-element.ts'
import { ApprovalQueue } from '#web/users/approval-queue.tsx'
import { RequestQueue } from '#web/users/request-queue.tsx'
import { FIRST_WAITING, requestsQuery, waitingQuery } from '#web/users/user-queries.ts'
import { UsersCard } from '#web/users/users-card.tsx'

// For the route's loader: one chunk holds both.
export { prefetchUsers } from '#web/users/user-view.ts'

const loadServiceStatus = () => import('./service-status.tsx')

/** /admin: who may see what, and which report each area shows. */
export function AdminScreen() {
  const status = useOptionalChunk(loadServiceStatus)
  const queues = [useQuery(waitingQuery(FIRST_WAITING)), useQuery(requestsQuery)]
  const isMoving = queues.some(({ isPending, failureCount }) => isPending && failureCount === 0)
  return (
    <div className="mx-auto w-full max-w-[90rem] space-y-6 px-4 py-8">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h1 className="font-semibold text-2xl tracking-tight">Administração</h1>
        <div className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
          <Link to="/admin/convites" className={textLinkClasses}>
            Convidar
          </Link>
          <Link to="/admin/listas" className={textLinkClasses}>
            Áreas, marcas e estados
          </Link>
          <Link to="/admin/modelos" className={textLinkClasses}>
            Modelos de acesso
          </Link>
          <Link to="/admin/revisoes" className={textLinkClasses}>
            Revisão de acessos
          </Link>
          <Link to="/admin/saude" className={textLinkClasses}>
            Saúde do portal
          </Link>
          <button type="button" onClick={scrollToUsers} className={textLinkClasses}>
            Ir para os usuários
          </button>
        </div>
      </div>
      <div className="-mt-3 min-h-10 text-xs min-[90rem]:min-h-5">{status && <status.ServiceStatus />}</div>
      <ApprovalQueue />
      <RequestQueue />
      {/* Hidden until its offset is known, so that nothing jumps. */}
      <div className={classNames('space-y-6', isMoving && 'invisible')}>
        <ReportSettingsCard />
        <UsersCard />
      </div>
    </div>
  )
}

/** Scrolls inside the frame only: `scrollIntoView` would scroll the frame itself as well. */
function scrollToUsers(): void {
  const users = document.getElementById('usuarios')
  if (!users) return
  getMainElement()?.scrollBy(0, getDistanceFromTop(users))
  users.focus({ preventScroll: true })
}

import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import ChevronRight from 'lucide-react/icons/chevron-right'
import type { ReportFault } from '#contract/health.ts'
import type { ReplyNamed } from '#contract/index.ts'
import { formatReportTitle, REFRESH_ENDS } from '#contract/messages.ts'
import { IDLE_DAYS, RECENT_DAYS } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { lampsQuery } from '#web/http/lamps-query.ts'
import { MESSAGES_QUERY } from '#web/http/query-client.ts'
import { reportStatesQuery } from '#web/reports/settings/save-setting.ts'
import { useSession } from '#web/session/session.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { describeMoment, formatRecent } from '#web/ui/format-instant.ts'
import { NO_FILTER, profileCountQuery } from '#web/users/count-query.ts'
import { oldestWaitingQuery } from '#web/users/user-queries.ts'
import { unreadCountQuery } from './admin-links.tsx'

/** @param fault why the report opens for nobody */
type ReportState = ReplyNamed<'GET /api/global-powerbi-settings/states'>['items'][number] & {
  fault?: ReportFault | undefined
}

/** The state of each report; undefined until loaded. */
function useReportStates(): ReportState[] | undefined {
  const faults = useQuery(lampsQuery).data?.reports
  return useQuery(reportStatesQuery).data?.map((state) => ({
    ...state,
    fault: faults?.find(({ area, name }) => area === state.area && name === state.name),
  }))
}

/**
 * How a report's last refresh ended, if not well. A cancelled one counts too: readers see old data and
 * a warning, whoever cancelled it, until the next refresh completes.
 */
function findEnd({ hasFailed, stopped }: ReportState) {
  const how = hasFailed ? 'failed' : stopped
  return how && REFRESH_ENDS[how]
}

const isFlawed = (state: ReportState) => state.fault !== undefined || findEnd(state) !== undefined

/** What needs attention, in four numbers; each leads to what it counts. */
export function Overview() {
  const userId = useSession()?.user.id
  const { total, waiting } = useQuery(profileCountQuery(NO_FILTER)).data ?? {}
  const oldest = useQuery(oldestWaitingQuery).data
  const unread = useQuery(unreadCountQuery(userId)).data?.count
  const newest = useQuery({
    queryKey: [MESSAGES_QUERY, 'newest-unread', userId],
    queryFn: ({ signal }) =>
      callApi('GET /api/support-messages', { query: { unread: 'true', limit: 1 }, signal }),
  }).data?.items[0]
  const recent = useQuery(profileCountQuery({ lastAccess: 'recent' })).data?.total
  const idle = useQuery(profileCountQuery({ lastAccess: 'idle' })).data?.total
  const failed = useReportStates()?.filter(isFlawed)
  const areas = useCatalogue().types
  const [first] = failed ?? []
  const firstArea = areas.find(({ code }) => code === first?.area)?.label
  return (
    <ul aria-label="Visão geral" className="grid grid-cols-2 gap-3 xl:grid-cols-4">
      <Figure
        label="Aguardando aprovação"
        count={waiting}
        note={oldest ? `a mais antiga espera ${describeAge(oldest)}` : undefined}
        isDue={Boolean(waiting)}
        to="/admin/aguardando"
      />
      <Figure
        label="Mensagens não lidas"
        count={unread}
        note={newest && `a última, ${describeMoment(newest.created_at)}`}
        to="/mensagens"
        search={{ unread: 'true' }}
      />
      <Figure
        label="Relatórios com problema"
        count={failed?.length}
        note={
          first && firstArea
            ? `${formatReportTitle(firstArea, first.name)}: ${first.fault ? 'não abre' : `a atualização dos dados ${findEnd(first)}`}`
            : undefined
        }
        isDue={first !== undefined}
        to="/admin/relatorios"
        search={firstArea ? { area: firstArea } : {}}
      />
      <Figure
        label={`Entraram em ${RECENT_DAYS} dias`}
        count={recent}
        of={total}
        note={idle ? `${idle.toLocaleString('pt-BR')} sem acesso há ${IDLE_DAYS} dias` : undefined}
        to="/admin/uso"
      />
    </ul>
  )
}

interface FigureProps {
  label: string
  /** Undefined until loaded. */
  count: number | undefined
  of?: number | undefined
  note?: string | undefined
  /** Whether the note asks for something to be done. */
  isDue?: boolean
  to: NonNullable<LinkProps['to']>
  search?: Record<string, string>
}

/** A number with its note, at its final size before either is known. */
function Figure({ label, count, of, note, isDue = false, to, search = {} }: FigureProps) {
  return (
    <li>
      <Link
        to={to}
        search={search}
        className="block h-28 rounded-xl border border-line bg-surface px-3 py-3 shadow-xs sm:px-4 transition-colors hover:border-line-strong sm:h-26"
      >
        <span className="block truncate text-muted text-xs">{label}</span>
        <span className="block font-semibold text-2xl tabular-nums leading-9 tracking-tight">
          {count?.toLocaleString('pt-BR') ?? '–'}
          {of !== undefined && count !== undefined && (
            <span className="font-normal text-muted text-sm tracking-normal">
              {' '}
              de {of.toLocaleString('pt-BR')}
            </span>
          )}
        </span>
        <span className={classNames('line-clamp-2 text-xs', isDue ? 'text-warning' : 'text-muted')}>
          {note}
        </span>
      </Link>
    </li>
  )
}

const DAY_MS = 24 * 60 * 60_000

function describeAge(since: string): string {
  const days = Math.floor((Date.now() - Date.parse(since)) / DAY_MS)
  if (days < 1) return 'há menos de um dia'
  return days === 1 ? 'há um dia' : `há ${days.toLocaleString('pt-BR')} dias`
}

/** 'Estado dos relatórios': one line per area, which leads to its form. */
export function ReportStates() {
  const areas = useCatalogue().types.filter(({ archived }) => !archived)
  const states = useQuery(reportStatesQuery)
  const known = useReportStates()
  return (
    <section
      aria-labelledby="estado-titulo"
      className="overflow-hidden rounded-xl border border-line bg-surface shadow-xs"
    >
      <h2 id="estado-titulo" className="px-4 pt-4 pb-3 font-semibold text-lg sm:px-6 sm:pt-5">
        Estado dos relatórios
      </h2>
      <ul className="divide-y divide-line border-line border-t">
        {areas.map(({ code, label }) => (
          <li key={code}>
            <AreaState
              label={label}
              reports={known?.filter(({ area }) => area === code)}
              isFailed={states.isError}
            />
          </li>
        ))}
      </ul>
      {states.isError && (
        <FailedLoad
          kind="warning"
          className="m-4"
          onRetry={() => void states.refetch()}
          isRetrying={states.isFetching}
        >
          O estado dos relatórios não pôde ser lido agora.
        </FailedLoad>
      )}
    </section>
  )
}

interface AreaStateProps {
  label: string
  /** Undefined until loaded. */
  reports: ReportState[] | undefined
  isFailed: boolean
}

function AreaState({ label, reports, isFailed }: AreaStateProps) {
  const failed = reports?.filter(isFlawed) ?? []
  const dot = !reports?.length ? 'border border-line-strong' : failed.length > 0 ? 'bg-warning' : 'bg-success'
  return (
    <Link
      to="/admin/relatorios"
      search={{ area: label }}
      className="grid min-h-11 grid-cols-[0.5rem_minmax(0,1fr)_auto_1rem] items-center gap-x-3 px-4 py-2 text-sm hover:bg-canvas focus-visible:-outline-offset-2 sm:grid-cols-[0.5rem_8rem_minmax(0,1fr)_auto_1rem] sm:px-6"
    >
      <span aria-hidden="true" className={classNames('size-2 rounded-full', dot)} />
      <span className="truncate font-medium">{label}</span>
      <span className="truncate text-muted text-xs max-sm:hidden">{reports && describeReports(reports)}</span>
      <span
        className={classNames(
          'text-right text-xs tabular-nums',
          failed.length > 0 ? 'text-warning' : 'text-muted',
        )}
      >
        {reports ? describeData(reports, failed) : isFailed ? '' : '…'}
      </span>
      <ChevronRight aria-hidden="true" className="size-4 text-muted" />
    </Link>
  )
}

function describeReports(reports: readonly ReportState[]): string {
  if (reports.length === 0) return 'Sem relatório'
  if (reports.length > 1) return `${reports.length} relatórios`
  return reports[0]?.embedMode === 'secure_sso' ? 'URL Direta (SSO)' : 'Service Principal'
}

/** The age of an area's oldest data, or what is wrong with a report. */
function describeData(reports: readonly ReportState[], failed: readonly ReportState[]): string {
  const [first] = failed
  if (first) {
    const { fault, refreshedAt: since } = first
    if (fault) return `não abre desde ${formatRecent(fault.since)}`
    return since ? `${findEnd(first)}; dados de ${formatRecent(since)}` : `a atualização ${findEnd(first)}`
  }
  const own = reports.filter(({ embedMode }) => embedMode === 'service_principal')
  if (own.length === 0) return reports.length > 0 ? 'na conta de cada um' : 'sem relatório'
  const oldest = own.flatMap(({ refreshedAt }) => refreshedAt ?? []).sort()[0]
  return oldest ? `dados de ${formatRecent(oldest)}` : 'sem data informada'
}

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReplyNamed } from '#contract/index.ts'
import { REFRESH_ENDS } from '#contract/messages.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { KindIcon } from '#web/ui/alert.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatRecent } from '#web/ui/format-instant.ts'
import { TabDot } from './embed/report-overlay.tsx'

/** The server polls the service no more often. */
const POLL_INTERVAL_MS = 10 * 60_000
const MINUTE_MS = 60_000

type KnownRefresh = ReplyNamed<'GET /api/reports/{reportId}/last-refresh'>

export interface KnownAge {
  text: string
  /** For a narrow bar. */
  short: string
  /** Of the data, for a narrow bar: 'hoje, 06:10', or the day alone. */
  moment: string | undefined
  /** How the last refresh ended, if not well. */
  end: BadEnd | undefined
}

interface BadEnd {
  verb: string
  mark: string
}

const MARKS = { failed: 'Falhou', cancelled: 'Cancelada', disabled: 'Desativada' }

function findBadEnd({ hasFailed, stopped }: KnownRefresh): BadEnd | undefined {
  const how = hasFailed ? 'failed' : stopped
  return how && { verb: REFRESH_ENDS[how], mark: MARKS[how] }
}

/**
 * Describes how old a report's data is; undefined where the service does not say.
 * @param reportId undefined for a shared link, whose age is unknown
 * @param isShown the age is fetched only after the report, which has priority
 */
export function useDataAge(reportId: string | undefined, isShown: boolean): KnownAge | undefined {
  const { data } = useQuery({
    queryKey: ['last-refresh', reportId],
    queryFn: ({ signal }) =>
      callApi('GET /api/reports/{reportId}/last-refresh', { params: { reportId: reportId ?? '' }, signal }),
    enabled: isShown && reportId !== undefined,
    staleTime: POLL_INTERVAL_MS,
    refetchInterval: POLL_INTERVAL_MS,
    retry: false,
  })
  const now = useMinutes()
  if (reportId === undefined || !data || (data.refreshedAt === null && !findBadEnd(data))) return undefined
  const instant = data.refreshedAt && formatRecent(data.refreshedAt, now)
  const end = findBadEnd(data)
  const text = end
    ? `A última atualização ${end.verb}${instant ? ` · dados de ${instant}` : ''}`
    : `Dados de ${instant}`
  const moment = instant?.replace(/^(\d.*), .*/, '$1')
  const short = moment && (end ? `${end.mark} · ${moment}` : moment)
  return { text, short: short || text, moment, end }
}

/** Describes the age that is known already: 'hoje, 06:10'. */
export function readKnownAge(reportId: string): string | undefined {
  const data = queryClient.getQueryData<KnownRefresh>(['last-refresh', reportId])
  const moment = data?.refreshedAt && formatRecent(data.refreshedAt)
  const end = data && findBadEnd(data)
  return end ? `a última atualização ${end.verb}${moment ? ` · ${moment}` : ''}` : moment || undefined
}

/** 'Dados de hoje, 06:10', or a warning when the last refresh failed. */
export function DataAge({ age, className }: { age: KnownAge; className?: string }) {
  const { text, short, moment, end } = age
  return (
    <p
      title={text}
      className={classNames(
        'flex min-w-0 items-center gap-1.5 text-xs tabular-nums',
        end ? 'text-warning' : 'text-muted',
        className,
      )}
    >
      {end ? (
        <KindIcon kind="warning" className="size-3.5" />
      ) : (
        <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-success" />
      )}
      <span
        className={classNames(
          'truncate',
          short !== text && (end ? 'sm:max-[120rem]:sr-only' : 'sm:max-[90rem]:sr-only'),
        )}
      >
        {text}
      </span>
      {short !== text && (
        <span
          aria-hidden="true"
          className={classNames('hidden truncate', end ? 'sm:max-[120rem]:inline' : 'sm:max-[90rem]:inline')}
        >
          {end && <span className="max-[90rem]:hidden">{end.mark} · </span>}
          {moment}
        </span>
      )}
    </p>
  )
}

/** Returns the current time, updated every minute. */
function useMinutes(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

interface RefreshDotProps {
  reportId: string
  title: string
  isShown: boolean
}

/** On the tab of a report whose data could not be refreshed; its report may not be open. */
export function RefreshDot({ reportId, title, isShown }: RefreshDotProps) {
  const age = useDataAge(reportId, isShown)
  return age?.end && <TabDot text={`A última atualização de ${title} ${age.end.verb}`} />
}

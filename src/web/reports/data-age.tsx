import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { callApi } from '#web/http/api.ts'
import { KindIcon } from '#web/ui/alert.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatInstant } from '#web/ui/format-instant.ts'

/** The server polls the service no more often. */
const POLL_INTERVAL_MS = 10 * 60_000
const MINUTE_MS = 60_000

export interface KnownAge {
  text: string
  /** For a narrow bar. */
  short: string
  hasFailed: boolean
  refreshedAt: string | null
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
  if (reportId === undefined || !data || (data.refreshedAt === null && !data.hasFailed)) return undefined
  const age = data.refreshedAt && describeAge(now - Date.parse(data.refreshedAt))
  const text = data.hasFailed
    ? `A última atualização falhou${age ? ` · dados de ${age}` : ''}`
    : `Dados atualizados ${age}`
  return { text, short: age && !data.hasFailed ? age : text, ...data }
}

/** 'Dados atualizados há 3 h', or a warning when the last refresh failed. */
export function DataAge({ age, className }: { age: KnownAge; className?: string }) {
  const { text, short, hasFailed, refreshedAt } = age
  return (
    <p
      title={refreshedAt ? `${text}: ${formatInstant(refreshedAt)}` : text}
      className={classNames(
        'flex min-w-0 items-center gap-1.5 text-xs tabular-nums',
        hasFailed ? 'text-warning' : 'text-muted',
        className,
      )}
    >
      {hasFailed && <KindIcon kind="warning" className="size-3.5" />}
      <span className={classNames('truncate', short !== text && 'lg:max-2xl:sr-only')}>{text}</span>
      {short !== text && (
        <span aria-hidden="true" className="hidden truncate lg:max-2xl:inline">
          {short}
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

/** Formats an age: 'agora', 'há 5 min', 'há 3 h', 'há 2 dias'; a slow clock's negative age is 'agora'. */
export function describeAge(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS)
  if (minutes < 1) return 'agora'
  if (minutes < 60) return `há ${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `há ${hours} h`
  return `há ${Math.floor(hours / 24)} dias`
}

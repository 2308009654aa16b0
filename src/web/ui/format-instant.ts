const timeZone = 'America/Sao_Paulo'
const days = new Intl.DateTimeFormat('pt-BR', { timeZone, dateStyle: 'short' })
const times = new Intl.DateTimeFormat('pt-BR', { timeZone, timeStyle: 'short' })
const instants = new Intl.DateTimeFormat('pt-BR', { timeZone, dateStyle: 'short', timeStyle: 'short' })

/** Formats an instant (Date or ISO 8601) as its date in São Paulo: '21/11/2026'. */
export function formatDay(instant: string | Date): string {
  return days.format(new Date(instant))
}

/** Formats a calendar date, '2026-12-31', as '31/12/2026'. */
export function formatDate(date: string): string {
  return date.split('-').reverse().join('/')
}

/** Formats an ISO 8601 instant as the time in São Paulo: '14:05'. */
export function formatTime(instant: string): string {
  return times.format(new Date(instant))
}

/** Formats an ISO 8601 instant for a sentence: 'hoje às 14:05', on other days 'em 21/11/2026, 14:05'. */
export function describeMoment(instant: string): string {
  const isToday = formatDay(instant) === formatDay(new Date())
  return isToday ? `hoje às ${formatTime(instant)}` : `em ${formatInstant(instant)}`
}

const DAY_MS = 24 * 60 * 60_000

/** Formats an ISO 8601 instant as 'hoje, 14:05', 'ontem, 14:05' or '21/11/2026, 14:05'. */
export function formatRecent(instant: string, now = Date.now()): string {
  const day = formatDay(instant)
  if (day === formatDay(new Date(now))) return `hoje, ${formatTime(instant)}`
  if (day === formatDay(new Date(now - DAY_MS))) return `ontem, ${formatTime(instant)}`
  return formatInstant(instant)
}

/** Formats an ISO 8601 instant as date and time in São Paulo: '21/11/2026, 14:05'. */
export function formatInstant(instant: string): string {
  return instants.format(new Date(instant))
}

/** Formats a time for use inside a sentence: 'às 14:32', with the day unless it is today. */
export function formatTimePhrase(iso: string, now = new Date()): string {
  const day = formatDay(iso)
  return `${day === formatDay(now) ? '' : `em ${day} `}às ${formatTime(iso)}`
}

/** Returns the day in São Paulo, in the order by which file names sort. */
export function formatFileDate(instant: Date): string {
  return formatDay(instant).split('/').reverse().join('-')
}

import { formatDay, formatTime } from '#web/ui/format-instant.ts'

/** When something happened, inside a sentence: 'às 14:32', with the day in front when it was not today. */
export function timeInSentence(iso: string, now = new Date()): string {
  const day = formatDay(iso)
  return `${day === formatDay(now) ? '' : `em ${day} `}às ${formatTime(iso)}`
}

/** The day of an instant in São Paulo, for a file's name: '2026-11-20'. */
export function dayForFileName(instant: Date): string {
  return formatDay(instant).split('/').reverse().join('-')
}

const timeZone = 'America/Sao_Paulo'
const days = new Intl.DateTimeFormat('pt-BR', { timeZone, dateStyle: 'short' })
const times = new Intl.DateTimeFormat('pt-BR', { timeZone, timeStyle: 'short' })

/** When something happened, inside a sentence: 'às 14:32', with the day in front when it was not today. */
export function timeInSentence(iso: string, now = new Date()): string {
  const instant = new Date(iso)
  const isToday = days.format(instant) === days.format(now)
  return `${isToday ? '' : `em ${days.format(instant)} `}às ${times.format(instant)}`
}

/** The day of an instant in São Paulo, for a file's name: '2026-11-20'. */
export function dayForFileName(instant: Date): string {
  return days.format(instant).split('/').reverse().join('-')
}

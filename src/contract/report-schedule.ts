import type { Schedule } from './report-subscriptions.ts'

export const WEEKDAYS = [
  'segunda-feira',
  'terça-feira',
  'quarta-feira',
  'quinta-feira',
  'sexta-feira',
  'sábado',
  'domingo',
] as const

/** Formats a schedule for use inside a sentence: 'toda segunda-feira às 8h'. */
export function describeSchedule(schedule: Schedule): string {
  const at = `${schedule.hour === 1 ? 'à' : 'às'} ${schedule.hour}h`
  if (schedule.every === 'day') return `todo dia ${at}`
  if (schedule.every === 'month') return `todo mês no dia ${schedule.day} ${at}`
  return `${schedule.weekday > 5 ? 'todo' : 'toda'} ${WEEKDAYS[schedule.weekday - 1]} ${at}`
}

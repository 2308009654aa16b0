/**
 * The same day and time some months earlier, in UTC; the last day of a shorter month, so that nothing is kept
 * for less than the months promised.
 * @param instant ms since the epoch
 */
export function monthsBefore(instant: number, months: number): Date {
  const then = new Date(instant)
  const day = then.getUTCDate()
  then.setUTCDate(1)
  then.setUTCMonth(then.getUTCMonth() - months)
  const lastDay = new Date(Date.UTC(then.getUTCFullYear(), then.getUTCMonth() + 1, 0)).getUTCDate()
  then.setUTCDate(Math.min(day, lastDay))
  return then
}

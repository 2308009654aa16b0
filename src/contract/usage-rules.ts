// Limits and texts of the use, without schemas: loaded by screens.

/** Groups of fewer people are not counted: 'menos de 5'. */
export const MIN_GROUP = 5

/** People listed by name; all are counted. */
export const MAX_NAMED = 100

/** Periods in one answer: a year of days, and more of weeks and months. */
export const MAX_PERIODS = 400

/** Longer than a page waits for a report. */
export const MAX_TIMING_MS = 120_000

/** The share of pages that tell how long their first report took. */
export const TIMED_SHARE = 0.25

/** 9873 → '9.873'. */
export const formatCount = (count: number): string => count.toLocaleString('pt-BR')

/** Converts milliseconds to a step; each is a quarter longer than the one before. */
export const toStep = (ms: number): number => Math.max(0, Math.round(Math.log(ms / 100) / Math.log(1.25)))

export const toMilliseconds = (step: number): number => Math.round(100 * 1.25 ** step)

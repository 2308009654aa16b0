import * as z from 'zod/mini'
import type { Routes } from './route.ts'
import { MAX_TIMING_MS } from './usage-rules.ts'
import { dateSchema, instantSchema } from './users.ts'

/** Periods of São Paulo; weeks begin on Mondays (ISO 8601). */
export const usagePeriodSchema = z.enum(['day', 'week', 'month'])
export type UsagePeriod = z.output<typeof usagePeriodSchema>

/** Null for 1 to 4, a group too small to be shown. */
const countSchema = z.nullable(z.number())

const timingFields = {
  /** Half of the measured openings were quicker, and 19 of 20; null for fewer than five. */
  median_ms: countSchema,
  slow_ms: countSchema,
  /** How often a report did not open. */
  failures: z.number(),
}

const useFields = {
  /** Different people per period of `by`, the mean of those that are over. */
  people: countSchema,
  /** In all periods; null where the people are, and where they would tell a small group. */
  openings: countSchema,
  /** Whether the people are null although five or more, because they would tell a small group. */
  is_masked: z.boolean(),
}

const usedReportSchema = z.object({
  id: z.uuid(),
  /** Null once it is unknown. */
  title: z.nullable(z.string()),
  /** Whether it is in use now. */
  exists: z.boolean(),
  ...useFields,
  ...timingFields,
  /** Null for the few of a hidden report. */
  failures: countSchema,
})
export type UsedReport = z.output<typeof usedReportSchema>

const usedGroupSchema = z.object({ code: z.string(), label: z.string(), ...useFields })
export type UsedGroup = z.output<typeof usedGroupSchema>

const namedPeopleSchema = z.object({
  total: z.number(),
  people: z.array(
    z.object({
      user_id: z.uuid(),
      email: z.string(),
      full_name: z.nullable(z.string()),
      /** Of the registration, or of the last access. */
      at: instantSchema,
    }),
  ),
})
export type NamedPeople = z.output<typeof namedPeopleSchema>

const usageSchema = z.object({
  /** As asked for, extended to whole periods. */
  from: dateSchema,
  to: dateSchema,
  by: usagePeriodSchema,
  /** The first counted day of people, and of openings; null before it. */
  since: z.nullable(dateSchema),
  opened_since: z.nullable(dateSchema),
  periods: z.array(
    z.object({
      starts_on: dateSchema,
      /** Whether it is not over. */
      is_open: z.boolean(),
      people: countSchema,
      openings: countSchema,
      ...timingFields,
    }),
  ),
  /** Of the whole time. */
  timing: z.object(timingFields),
  /** Those in use and those opened, most read first. */
  reports: z.array(usedReportSchema),
  types: z.array(usedGroupSchema),
  marcas: z.array(usedGroupSchema),
  estados: z.array(usedGroupSchema),
  /** Approved people without any access. */
  never_came: namedPeopleSchema,
  /** Approved people whose last access was before `from`, the longest absent first. */
  stopped_coming: namedPeopleSchema,
  /** Whether the caller wants the monthly mail. */
  is_mailed: z.boolean(),
})
export type Usage = z.output<typeof usageSchema>

export const usageRoutes = {
  readUsage: {
    method: 'GET',
    path: '/api/usage',
    access: 'admin',
    summary:
      'Who comes and which reports are read, by day, week or month; the last 30 days by default. Groups under five are null',
    query: z.object({
      from: z.optional(dateSchema),
      to: z.optional(dateSchema),
      by: z.optional(usagePeriodSchema),
    }),
    response: usageSchema,
  },
  setUsageMail: {
    method: 'PUT',
    path: '/api/usage/mail',
    access: 'admin',
    summary: 'Whether the caller wants a mail about the use at the beginning of each month',
    trail: { none: 'a mail to oneself, which names nobody' },
    body: z.strictObject({ wanted: z.boolean() }),
    response: z.object({ wanted: z.boolean() }),
  },
  recordTiming: {
    method: 'POST',
    path: '/api/usage/timings',
    access: 'approved',
    trail: 'report-shown',
    summary:
      'That one of the caller’s reports was shown, or was not; a part of the pages also tells how long their first one took, which is kept without the person',
    body: z.strictObject({
      /** The id of the report's setting, as in the own reports. */
      report: z.uuid(),
      outcome: z.enum(['shown', 'failed']),
      ms: z.optional(z.int().check(z.gte(0), z.lte(MAX_TIMING_MS))),
    }),
  },
} as const satisfies Routes

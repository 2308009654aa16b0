import * as z from 'zod/mini'
import { typeSchema } from './catalogue.ts'
import { reportViewMessages } from './messages.ts'
import { exportFormatSchema } from './report-exports.ts'
import { idSchema } from './reports.ts'
import type { Routes } from './route.ts'
import { lineSchema } from './text-schemas.ts'
import { instantSchema } from './users.ts'

/** Subscriptions of a person. */
export const MAX_SUBSCRIPTIONS = 20
/** Subscriptions in the administrators' list. */
export const MAX_LISTED = 500
/** A larger file is replaced by a link. */
export const MAX_ATTACHMENT_MB = 10

const hourSchema = z.int().check(z.gte(0), z.lte(23))
/** When a report is mailed, in São Paulo. */
const scheduleSchema = z.discriminatedUnion('every', [
  z.strictObject({ every: z.literal('day'), hour: hourSchema }),
  /** 1 is Monday (ISO 8601). */
  z.strictObject({
    every: z.literal('week'),
    weekday: z.int().check(z.gte(1), z.lte(7)),
    hour: hourSchema,
  }),
  /** A day that a month does not have is its last one. */
  z.strictObject({ every: z.literal('month'), day: z.int().check(z.gte(1), z.lte(31)), hour: hourSchema }),
])
export type Schedule = z.output<typeof scheduleSchema>

const reportSubscriptionSchema = z.object({
  id: z.uuid(),
  /** The area's label. */
  area: z.string(),
  /** Name of a further report of the area; null for its first one, and without the area. */
  report: z.nullable(z.string()),
  reportId: z.string(),
  viewId: z.nullable(z.string()),
  /** Name of the view; null without one, and where the reader may not know it. */
  view: z.nullable(z.string()),
  format: exportFormatSchema,
  schedule: scheduleSchema,
  /** Null while it is stopped; in the year 9000 while a restore holds it. */
  nextRunAt: z.nullable(instantSchema),
  lastSentAt: z.nullable(instantSchema),
  /** Why the last run failed, in Portuguese. */
  failure: z.nullable(z.string()),
})
export type ReportSubscription = z.output<typeof reportSubscriptionSchema>

const subscriptionFields = {
  viewId: z.optional(z.nullable(z.uuid())),
  format: exportFormatSchema,
  schedule: scheduleSchema,
}
const params = z.object({ id: z.uuid() })

export const reportSubscriptionRoutes = {
  listReportSubscriptions: {
    method: 'GET',
    path: '/api/report-subscriptions',
    access: 'signedIn',
    summary: "The caller's subscriptions to reports by mail, newest first",
    response: z.object({ items: z.array(reportSubscriptionSchema) }),
  },
  createReportSubscription: {
    method: 'POST',
    path: '/api/report-subscriptions',
    access: 'approved',
    trail: { none: 'an order for oneself; each mail that it causes is report-mailed' },
    summary: "Mails one of the caller's reports on a schedule, to the caller's verified address",
    body: z.strictObject({ area: typeSchema, reportId: idSchema, ...subscriptionFields }),
    response: reportSubscriptionSchema,
    status: 201,
  },
  changeReportSubscription: {
    method: 'PATCH',
    path: '/api/report-subscriptions/{id}',
    access: 'approved',
    trail: 'report-mail-stopped',
    summary: "Changes one of the caller's subscriptions; a stopped one starts again, unless it stops it",
    params,
    body: z
      .partial(z.strictObject({ ...subscriptionFields, stopped: z.boolean() }))
      .check(z.refine((body) => Object.keys(body).length > 0, reportViewMessages.nothing)),
    response: reportSubscriptionSchema,
  },
  removeReportSubscription: {
    method: 'DELETE',
    path: '/api/report-subscriptions/{id}',
    access: 'signedIn',
    trail: 'report-mail-stopped',
    summary: "Deletes one of the caller's subscriptions",
    params,
  },
  listAllReportSubscriptions: {
    method: 'GET',
    path: '/api/report-subscriptions/all',
    access: 'admin',
    summary: `Everybody's subscriptions, failed ones first; at most ${MAX_LISTED}`,
    response: z.object({
      items: z.array(z.extend(reportSubscriptionSchema, { email: z.string() })),
      total: z.number(),
    }),
  },
  /** The token is in the query, because mail programs send a form of their own (RFC 8058). */
  unsubscribe: {
    method: 'POST',
    path: '/api/report-subscriptions/unsubscribe',
    access: 'public',
    trail: 'report-mail-stopped',
    summary: 'Stops the subscription of a mail; takes the token of its link',
    query: z.object({
      token: lineSchema(100),
      /** Only tells what the link would stop. */
      dryRun: z.optional(z.literal('true')),
    }),
    response: z.object({
      /** What was mailed, without names that the person may no longer read; null once it is deleted. */
      name: z.nullable(z.string()),
      wasStopped: z.boolean(),
    }),
  },
} as const satisfies Routes

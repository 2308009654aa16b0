import * as z from 'zod/mini'
import type { Routes } from './route.ts'

/** How an area gets its report: a link that each person opens with their own account, or the portal's credentials. */
export const embedModeSchema = z.enum(['secure_sso', 'service_principal'])
export type EmbedMode = z.output<typeof embedModeSchema>

const reportAreaSchema = z.object({
  type: z.string(),
  embedMode: embedModeSchema,
  /** Null also when the person has no marcas or no estados: without scope nothing is shown (fail closed). */
  reportUrl: z.nullable(z.string()),
  workspaceId: z.nullable(z.string()),
  reportId: z.nullable(z.string()),
  datasetId: z.nullable(z.string()),
})
export type ReportArea = z.output<typeof reportAreaSchema>

export const ownReportsSchema = z.object({
  approved: z.boolean(),
  /** The last day of an access that has ended by itself: the person is not approved then. */
  endedOn: z.nullable(z.string()),
  emailVerified: z.boolean(),
  areas: z.array(reportAreaSchema),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
})
export type OwnReports = z.output<typeof ownReportsSchema>

/** Ids as the settings hold them; only an exact match counts, so their form is not checked further. */
export const idSchema = z.string().check(z.minLength(1), z.maxLength(100))
const lastRefreshSchema = z.object({
  /** When the newest refresh that went well ended, ISO 8601; null where the service does not tell. */
  refreshedAt: z.nullable(z.string()),
  /** Whether the newest refresh that is over has failed. */
  hasFailed: z.boolean(),
})

export const issuedTokenSchema = z.object({
  embedToken: z.string(),
  expiresInSeconds: z.number(),
  /** Only there, and true, for a paginated report, which is embedded from another address. */
  isPaginated: z.optional(z.boolean()),
})

const namesSchema = z.array(z.string().check(z.maxLength(50))).check(z.maxLength(50))

export const reportRoutes = {
  readOwnReports: {
    method: 'GET',
    path: '/api/reports/me',
    access: 'signedIn',
    summary: 'What the reports screen needs: approval, ordered areas with their setting, marcas and estados',
    response: ownReportsSchema,
  },
  readLastRefresh: {
    method: 'GET',
    path: '/api/reports/{reportId}/last-refresh',
    access: 'approved',
    summary: "How old the data of one of the caller's reports are, at most ten minutes ago",
    params: z.object({ reportId: idSchema }),
    response: lastRefreshSchema,
  },
  issueEmbedToken: {
    method: 'POST',
    path: '/api/functions/get-powerbi-token',
    access: 'approved',
    summary:
      'An embed token for one configured report; scope and identity come from the profile, never from the body',
    body: z.strictObject({
      workspaceId: idSchema,
      reportId: idSchema,
      datasetId: z.optional(z.nullable(idSchema)),
      marcas: z.optional(namesSchema),
      estados: z.optional(namesSchema),
      userEmail: z.optional(z.string().check(z.maxLength(255))),
    }),
    response: issuedTokenSchema,
  },
} as const satisfies Routes

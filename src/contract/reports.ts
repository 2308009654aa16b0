import * as z from 'zod/mini'
import { shownNoticeSchema } from './notices.ts'
import type { Routes } from './route.ts'
import { lineSchema } from './text-schemas.ts'

/** How a report is embedded: a link opened with one's own account, or the portal's credentials. */
export const embedModeSchema = z.enum(['secure_sso', 'service_principal'])
export type EmbedMode = z.output<typeof embedModeSchema>

const areaReportSchema = z.object({
  id: z.uuid(),
  /** Unique in its area; the area's label for its first report. */
  name: z.string(),
  embedMode: embedModeSchema,
  /** Null also if the person has no marcas or no estados: without scope nothing is shown (fail closed). */
  reportUrl: z.nullable(z.string()),
  workspaceId: z.nullable(z.string()),
  reportId: z.nullable(z.string()),
  datasetId: z.nullable(z.string()),
  /** The page and the report's bookmark that it opens with. */
  pageName: z.optional(z.string()),
  bookmarkName: z.optional(z.string()),
  /** False where the portal or the area's administrators have switched exports off. */
  canExport: z.boolean(),
  /** The caller's saved view that opens first; without it the report opens as published. */
  firstViewId: z.optional(z.uuid()),
})
export type AreaReport = z.output<typeof areaReportSchema>

const reportAreaSchema = z.extend(z.omit(areaReportSchema, { id: true, name: true, firstViewId: true }), {
  type: z.string(),
  /** The first, whose fields the area has too, and the further ones. A server of 0.2 leaves it out. */
  reports: z.optional(z.array(areaReportSchema)),
})
export type ReportArea = z.output<typeof reportAreaSchema>

export const ownReportsSchema = z.object({
  approved: z.boolean(),
  /** Last day of an approval that has ended; the person is then not approved. */
  endedOn: z.nullable(z.string()),
  emailVerified: z.boolean(),
  areas: z.array(reportAreaSchema),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
  /** As GET /api/notices, so that the screen is whole at once. */
  notices: z.optional(z.array(shownNoticeSchema)),
})
export type OwnReports = z.output<typeof ownReportsSchema>

/** Ids as stored in the settings; only exact matches count, so the format is not checked. */
export const idSchema = lineSchema(100, 1)
/** How the newest completed refresh ended, if neither well nor failed. */
export const stoppedSchema = z.optional(z.enum(['cancelled', 'disabled']))
const lastRefreshSchema = z.object({
  /** End of the newest successful refresh, ISO 8601; null if the service does not report it. */
  refreshedAt: z.nullable(z.string()),
  /** Whether the newest completed refresh failed. */
  hasFailed: z.boolean(),
  stopped: stoppedSchema,
})

export const issuedTokenSchema = z.object({
  embedToken: z.string(),
  expiresInSeconds: z.number(),
  /** True for a paginated report, which has another embed URL; otherwise missing. */
  isPaginated: z.optional(z.boolean()),
})

const namesSchema = z.array(lineSchema(50)).check(z.maxLength(50))

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
    trail: 'report',
    summary:
      'An embed token for one configured report; scope and identity come from the profile, never from the body',
    body: z.strictObject({
      workspaceId: idSchema,
      reportId: idSchema,
      datasetId: z.optional(z.nullable(idSchema)),
      marcas: z.optional(namesSchema),
      estados: z.optional(namesSchema),
      userEmail: z.optional(lineSchema(255)),
    }),
    response: issuedTokenSchema,
  },
} as const satisfies Routes

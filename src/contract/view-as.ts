import * as z from 'zod/mini'
import { idSchema, issuedTokenSchema, ownReportsSchema } from './reports.ts'
import type { Routes } from './route.ts'
import { instantSchema, userParams } from './users.ts'

/** How long one view lasts before the administrator must start again. */
export const VIEW_AS_MINUTES = 15

/** Id of one administrator's view; invalid for others. */
const viewSchema = z.string().check(z.regex(/^\d{1,18}$/))

/** 'Ver como': an administrator sees another person's reports, without writing in that person's name. */
export const viewAsRoutes = {
  readReportsOf: {
    method: 'GET',
    path: '/api/profiles/{userId}/reports',
    access: 'admin',
    trail: 'viewed-as',
    summary:
      'Begins a view of 15 minutes, which is recorded, and tells what the reports screen shows to somebody else; no links of SSO areas, which would show the caller’s own data',
    params: userParams,
    response: z.extend(ownReportsSchema, {
      email: z.string(),
      full_name: z.nullable(z.string()),
      view: viewSchema,
      endsAt: instantSchema,
    }),
  },
  readReportUse: {
    method: 'GET',
    path: '/api/profiles/{userId}/report-use',
    access: 'admin',
    summary: 'Which reports a person sees, or why none, and which were opened last; records no view',
    params: userParams,
    response: z.object({
      /** The first reason why nothing is seen; null otherwise. */
      hindrance: z.nullable(
        z.enum(['access-ended', 'not-approved', 'no-types', 'no-reports', 'no-marcas', 'no-estados']),
      ),
      /** Titles, in tab order. */
      reports: z.array(z.string()),
      /** Each report once, the last opened first; the title is null once it is gone. */
      opened: z.array(z.object({ at: instantSchema, title: z.nullable(z.string()) })),
    }),
  },
  issueEmbedTokenOf: {
    method: 'POST',
    path: '/api/profiles/{userId}/embed-token',
    access: 'admin',
    trail: 'report',
    summary: 'An embed token with somebody else’s identity, which ends with the view; 403 once that is over',
    params: userParams,
    body: z.strictObject({
      view: viewSchema,
      workspaceId: idSchema,
      reportId: idSchema,
      datasetId: z.optional(z.nullable(idSchema)),
    }),
    response: issuedTokenSchema,
  },
} as const satisfies Routes

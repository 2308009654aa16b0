import * as z from 'zod/mini'
import { idSchema } from './reports.ts'
import type { Routes } from './route.ts'
import { lineSchema } from './text-schemas.ts'

export const exportFormatSchema = z.enum(['pdf', 'pptx'])
export type ExportFormat = z.output<typeof exportFormatSchema>

/** The captured state of a report, base64 as powerbi-client returns it. */
const MAX_STATE_LENGTH = 256 * 1024

const reportExportSchema = z.object({
  id: z.uuid(),
  /** Of the report, and of the saved view that it shows. */
  title: z.string(),
  format: exportFormatSchema,
  status: z.enum(['queued', 'running', 'done', 'failed']),
  percent: z.number(),
  /** Why it failed, in Portuguese, for users. */
  detail: z.nullable(z.string()),
  /** When the file was made; null before. */
  finished_at: z.nullable(z.string()),
  /** End of the hour in which the file can be downloaded; null before it is done. */
  available_until: z.nullable(z.string()),
})
export type ReportExport = z.output<typeof reportExportSchema>

const params = z.object({ id: z.uuid() })

export const reportExportRoutes = {
  startReportExport: {
    method: 'POST',
    path: '/api/report-exports',
    access: 'approved',
    trail: 'report-exported',
    summary: "Queues an export of one of the caller's reports, with the caller's own identity",
    status: 202,
    maxBodyBytes: MAX_STATE_LENGTH + 2_048,
    body: z.strictObject({
      area: lineSchema(100, 1),
      reportId: idSchema,
      format: exportFormatSchema,
      /** A saved view; without it and a state the report as published. */
      viewId: z.optional(z.uuid()),
      /** What the person sees; a view's own state takes its place. */
      state: z.optional(
        z.string().check(z.minLength(1), z.maxLength(MAX_STATE_LENGTH), z.regex(/^[\w+/=-]+$/)),
      ),
    }),
    response: reportExportSchema,
  },
  listReportExports: {
    method: 'GET',
    path: '/api/report-exports',
    access: 'approved',
    summary: "The caller's exports that are under way or ended within the last hour, newest first",
    response: z.object({ items: z.array(reportExportSchema) }),
  },
  readReportExport: {
    method: 'GET',
    path: '/api/report-exports/{id}',
    access: 'approved',
    summary: 'How far an export of the caller is',
    params,
    response: reportExportSchema,
  },
  downloadReportExport: {
    method: 'GET',
    path: '/api/report-exports/{id}/file',
    access: 'approved',
    trail: 'export-downloaded',
    summary:
      "The file, streamed from Power BI for an hour; 404 for others, and once the caller's access is not the export's",
    params,
    file: true,
  },
} as const satisfies Routes

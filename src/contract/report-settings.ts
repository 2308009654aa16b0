import * as z from 'zod/mini'
import { slugSchema } from './catalogue.ts'
import { normalizeTyped } from './pasted-text.ts'
import { MAX_ID_LENGTH, MAX_URL_LENGTH, reportSettingMessages } from './report-setting-rules.ts'
import { embedModeSchema, stoppedSchema } from './reports.ts'
import type { Routes } from './route.ts'
import { cleanLine, ONE_LINE } from './text-rules.ts'
import { undoable } from './undo.ts'

/** The report of an area. Without a setting the mode is 'Nenhum'. */
const reportSettingSchema = z.object({
  id: z.uuid(),
  /** The area's label. */
  type: z.string(),
  embed_mode: embedModeSchema,
  report_url: z.nullable(z.string()),
  workspace_id: z.nullable(z.string()),
  report_id: z.nullable(z.string()),
  dataset_id: z.nullable(z.string()),
  /** Whether people may export the report. */
  exports: z.boolean(),
  /** The page and the report's bookmark that it opens with, in Service Principal mode. */
  page_name: z.nullable(z.string()),
  bookmark_name: z.nullable(z.string()),
  /** How the report is named beside others of the area; null is the area's label. */
  name: z.nullable(z.string()),
  /** Sent as If-Match, so that a concurrent change is not overwritten. */
  updated_at: z.string(),
})
export type ReportSetting = z.output<typeof reportSettingSchema>

/** A missing text gets the same message as an empty one. */
const textSchema = (max: number, missing: string, tooLong: string) =>
  z.string(missing).check(z.overwrite(normalizeTyped), z.overwrite(cleanLine), z.maxLength(max, tooLong))
const nothing = z.optional(z.nullable(z.literal('')))

const ssoInputSchema = z.strictObject({
  embed_mode: z.literal('secure_sso'),
  report_url: textSchema(MAX_URL_LENGTH, reportSettingMessages.urlRequired, reportSettingMessages.urlInvalid),
  workspace_id: nothing,
  report_id: nothing,
  dataset_id: nothing,
})
const openingSchema = z.optional(
  z.nullable(
    z
      .string()
      .check(
        z.overwrite(normalizeTyped),
        z.overwrite(cleanLine),
        z.maxLength(MAX_ID_LENGTH, reportSettingMessages.openingTooLong),
      ),
  ),
)
const principalInputSchema = z.strictObject({
  embed_mode: z.literal('service_principal'),
  report_url: nothing,
  workspace_id: textSchema(
    MAX_ID_LENGTH,
    reportSettingMessages.idsRequired,
    reportSettingMessages.workspaceInvalid,
  ),
  report_id: textSchema(
    MAX_ID_LENGTH,
    reportSettingMessages.idsRequired,
    reportSettingMessages.reportInvalid,
  ),
  dataset_id: z.optional(
    z.nullable(
      z
        .string()
        .check(
          z.overwrite(normalizeTyped),
          z.overwrite(cleanLine),
          z.maxLength(MAX_ID_LENGTH, reportSettingMessages.datasetTooLong),
        ),
    ),
  ),
  exports: z.optional(z.boolean()),
  /** Left out, they stay as long as the report does. */
  page_name: openingSchema,
  bookmark_name: openingSchema,
})

const nameSchema = z
  .string(reportSettingMessages.nameRequired)
  .check(
    z.trim(),
    z.minLength(1, reportSettingMessages.nameRequired),
    z.maxLength(60, reportSettingMessages.nameTooLong),
    z.regex(ONE_LINE, reportSettingMessages.nameInvalid),
  )

/** Left out, the name stays as it is. */
const firstFields = { name: z.optional(z.nullable(nameSchema)) }

/** Input of an administrator, by mode; checkReportSetting validates the texts. */
const reportSettingInputSchema = z.discriminatedUnion('embed_mode', [
  z.extend(ssoInputSchema, firstFields),
  z.extend(principalInputSchema, firstFields),
])
export type ReportSettingInput = z.input<typeof reportSettingInputSchema>

/** A report of an area beside its setting, which is the first. */
const furtherReportSchema = z.extend(reportSettingSchema, { name: z.string() })
export type FurtherReport = z.output<typeof furtherReportSchema>

/** Further reports of an area. */
export const MAX_FURTHER_REPORTS = 20

const furtherFields = {
  name: nameSchema,
  /** Place among the further reports, from 0; left out, it stays, and a new one is the last. */
  position: z.optional(z.int().check(z.minimum(0), z.maximum(MAX_FURTHER_REPORTS - 1))),
}
const furtherReportInputSchema = z.discriminatedUnion('embed_mode', [
  z.extend(ssoInputSchema, furtherFields),
  z.extend(principalInputSchema, furtherFields),
])
export type FurtherReportInput = z.output<typeof furtherReportInputSchema>

/** The newest refresh of a model's data. */
const dataRefreshSchema = z.object({
  status: z.enum(['running', 'completed', 'failed', 'unknown', 'no-write-permission']),
  /** In Portuguese, for users. */
  message: z.string(),
})
export type DataRefresh = z.output<typeof dataRefreshSchema>

const typeParams = z.object({ type: slugSchema })
const furtherParams = z.object({ type: slugSchema, id: z.uuid() })
/** The id of a further report; left out, the area's first. */
const reportQuery = z.object({ report: z.optional(z.uuid()) })

/** Another address leads everybody of an area elsewhere. */
const decidesWhatPeopleSee = { access: 'admin', recentAuthentication: 'many' } as const

export const reportSettingsRoutes = {
  listReportSettings: {
    method: 'GET',
    path: '/api/global-powerbi-settings',
    access: 'admin',
    summary: 'Every configured area, in tab order',
    response: z.object({ items: z.array(reportSettingSchema) }),
  },
  listReportStates: {
    method: 'GET',
    path: '/api/global-powerbi-settings/states',
    access: 'admin',
    summary: 'How old the data of every configured report is; at most ten minutes late',
    response: z.object({
      items: z.array(
        z.object({
          /** The area's slug. */
          area: z.string(),
          /** Unique in its area; the area's label for a first report without a name. */
          name: z.string(),
          embedMode: embedModeSchema,
          /** As for people: null where the service does not say. */
          refreshedAt: z.nullable(z.string()),
          hasFailed: z.boolean(),
          stopped: stoppedSchema,
        }),
      ),
    }),
  },
  saveReportSetting: {
    method: 'PUT',
    path: '/api/global-powerbi-settings/{type}',
    ...decidesWhatPeopleSee,
    trail: 'report-setting-saved',
    conditional: true,
    summary: 'Says which report an area shows; with a stale If-Match 409',
    params: typeParams,
    body: reportSettingInputSchema,
    response: z.extend(reportSettingSchema, undoable),
  },
  removeReportSetting: {
    method: 'DELETE',
    path: '/api/global-powerbi-settings/{type}',
    ...decidesWhatPeopleSee,
    trail: 'report-setting-removed',
    conditional: true,
    summary: "Takes an area's report away (mode 'Nenhum'); `removed` is false when there was none",
    params: typeParams,
    response: z.object({ removed: z.boolean(), ...undoable }),
  },
  listFurtherReports: {
    method: 'GET',
    path: '/api/global-powerbi-settings/{type}/reports',
    access: 'admin',
    summary: "An area's reports beside its setting, in order, and how many approved people have the area",
    params: typeParams,
    response: z.object({ items: z.array(furtherReportSchema), people: z.number() }),
  },
  addFurtherReport: {
    method: 'POST',
    path: '/api/global-powerbi-settings/{type}/reports',
    ...decidesWhatPeopleSee,
    trail: 'report-setting-saved',
    summary: `Adds a report to an area that has a setting; at most ${MAX_FURTHER_REPORTS}`,
    params: typeParams,
    body: furtherReportInputSchema,
    response: z.extend(furtherReportSchema, undoable),
    status: 201,
  },
  changeFurtherReport: {
    method: 'PATCH',
    path: '/api/global-powerbi-settings/{type}/reports/{id}',
    ...decidesWhatPeopleSee,
    trail: 'report-setting-saved',
    conditional: true,
    summary: 'Changes a further report of an area, or its place; with a stale If-Match 409',
    params: furtherParams,
    body: furtherReportInputSchema,
    response: z.extend(furtherReportSchema, undoable),
  },
  removeFurtherReport: {
    method: 'DELETE',
    path: '/api/global-powerbi-settings/{type}/reports/{id}',
    ...decidesWhatPeopleSee,
    trail: 'report-setting-removed',
    conditional: true,
    summary: 'Removes a further report of an area',
    params: furtherParams,
    response: z.object(undoable),
  },
  listWorkspaces: {
    method: 'GET',
    path: '/api/power-bi/workspaces',
    access: 'admin',
    summary: "The workspaces that the portal's application is a member of, by name",
    response: z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) }),
  },
  listWorkspaceReports: {
    method: 'GET',
    path: '/api/power-bi/workspaces/{workspaceId}/reports',
    access: 'admin',
    summary: 'The reports of a workspace, by name, with the model that each shows',
    params: z.object({ workspaceId: z.uuid() }),
    response: z.object({
      items: z.array(z.object({ id: z.string(), name: z.string(), datasetId: z.nullable(z.string()) })),
    }),
  },
  readDataRefresh: {
    method: 'GET',
    path: '/api/global-powerbi-settings/{type}/refresh',
    access: 'admin',
    summary: "The newest refresh of the data of an area's saved report",
    params: typeParams,
    query: reportQuery,
    response: dataRefreshSchema,
  },
  startDataRefresh: {
    method: 'POST',
    path: '/api/global-powerbi-settings/{type}/refresh',
    access: 'admin',
    trail: 'report-refresh-requested',
    summary: "Has Power BI refresh the data of an area's saved report; eight a day on shared capacity",
    params: typeParams,
    query: reportQuery,
    response: dataRefreshSchema,
  },
  testReportSetting: {
    method: 'POST',
    path: '/api/global-powerbi-settings/{type}/test',
    access: 'admin',
    trail: { none: 'asks Power BI and keeps nothing' },
    summary: 'A dry run of a setting, saved or not: what is wrong and who mends it, in one sentence',
    params: typeParams,
    body: reportSettingInputSchema,
    response: z.object({
      /** 'ok', or the name of a fault: docs/power-bi.md. */
      outcome: z.string(),
      /** Whether it heals by itself. */
      isTemporary: z.boolean(),
      /** In Portuguese, for users. */
      message: z.string(),
      reportName: z.nullable(z.string()),
      /** Last refresh of the dataset, ISO 8601; null if the service does not report it. */
      refreshedAt: z.nullable(z.string()),
      /** Code, request id and words of the service or directory, for a ticket. */
      code: z.nullable(z.string()),
      requestId: z.nullable(z.string()),
      answer: z.nullable(z.string()),
    }),
  },
} as const satisfies Routes

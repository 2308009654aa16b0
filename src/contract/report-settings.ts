import * as z from 'zod/mini'
import { slugSchema } from './catalogue.ts'
import { reportSettingMessages } from './report-setting-rules.ts'
import { embedModeSchema } from './reports.ts'
import type { Routes } from './route.ts'

/** Which report an area shows. 'Nenhum' is the absence of a setting. */
const reportSettingSchema = z.object({
  id: z.uuid(),
  /** The area's label. */
  type: z.string(),
  embed_mode: embedModeSchema,
  report_url: z.nullable(z.string()),
  workspace_id: z.nullable(z.string()),
  report_id: z.nullable(z.string()),
  dataset_id: z.nullable(z.string()),
  /** Goes into If-Match: a setting that somebody else has saved meanwhile is not overwritten. */
  updated_at: z.string(),
})
export type ReportSetting = z.output<typeof reportSettingSchema>

/** What is left out is answered in the same words as what is left empty. */
const textSchema = (max: number, missing: string, tooLong: string) =>
  z.string(missing).check(z.trim(), z.maxLength(max, tooLong))
const nothing = z.optional(z.nullable(z.literal('')))

/** What an administrator types, by mode; what the texts must look like is checkReportSetting's business. */
const reportSettingInputSchema = z.discriminatedUnion('embed_mode', [
  z.strictObject({
    embed_mode: z.literal('secure_sso'),
    report_url: textSchema(4096, reportSettingMessages.urlRequired, reportSettingMessages.urlInvalid),
    workspace_id: nothing,
    report_id: nothing,
    dataset_id: nothing,
  }),
  z.strictObject({
    embed_mode: z.literal('service_principal'),
    report_url: nothing,
    workspace_id: textSchema(100, reportSettingMessages.idsRequired, reportSettingMessages.workspaceInvalid),
    report_id: textSchema(100, reportSettingMessages.idsRequired, reportSettingMessages.reportInvalid),
    dataset_id: z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(100)))),
  }),
])
export type ReportSettingInput = z.input<typeof reportSettingInputSchema>

/** What a dry run against Power BI can find. */
const REPORT_TEST_OUTCOMES = [
  'ok',
  'not-testable',
  'bad-credentials',
  'secret-expired',
  'bad-certificate',
  'wrong-clock',
  'wrong-client-id',
  'application-disabled',
  'wrong-tenant',
  'conditional-access',
  'no-power-bi',
  'directory-refused',
  'service-principals-off',
  'api-closed',
  'embedding-off',
  'no-workspace-access',
  'no-model-access',
  'report-not-found',
  'dataset-not-found',
  'dataset-mismatch',
  'identity-required',
  'identity-forbidden',
  'unknown-role',
  'without-rls',
  'paginated-sources',
  'capacity-paused',
  'no-capacity',
  'rate-limited',
  'service-down',
  'foreign-answer',
  'unreachable',
  'refused',
] as const
export type ReportTestOutcome = (typeof REPORT_TEST_OUTCOMES)[number]

const typeParams = z.object({ type: slugSchema })

export const reportSettingsRoutes = {
  listReportSettings: {
    method: 'GET',
    path: '/api/global-powerbi-settings',
    access: 'admin',
    summary: 'Every configured area, in tab order',
    response: z.object({ items: z.array(reportSettingSchema) }),
  },
  saveReportSetting: {
    method: 'PUT',
    path: '/api/global-powerbi-settings/{type}',
    access: 'admin',
    conditional: true,
    summary: 'Says which report an area shows; with a stale If-Match 409',
    params: typeParams,
    body: reportSettingInputSchema,
    response: reportSettingSchema,
  },
  removeReportSetting: {
    method: 'DELETE',
    path: '/api/global-powerbi-settings/{type}',
    access: 'admin',
    conditional: true,
    summary: "Takes an area's report away (mode 'Nenhum'); `removed` is false when there was none",
    params: typeParams,
    response: z.object({ removed: z.boolean() }),
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
  testReportSetting: {
    method: 'POST',
    path: '/api/global-powerbi-settings/{type}/test',
    access: 'admin',
    summary: 'A dry run of a setting, saved or not: what is wrong and who mends it, in one sentence',
    params: typeParams,
    body: reportSettingInputSchema,
    response: z.object({
      outcome: z.enum(REPORT_TEST_OUTCOMES),
      /** Portuguese, fit to show. */
      message: z.string(),
      reportName: z.nullable(z.string()),
      /** When the dataset was last refreshed, ISO 8601; null when the service does not tell. */
      refreshedAt: z.nullable(z.string()),
      /** What the service or the directory said itself when it refused, for a ticket. */
      code: z.nullable(z.string()),
      requestId: z.nullable(z.string()),
    }),
  },
} as const satisfies Routes

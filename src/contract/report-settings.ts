import * as z from 'zod/mini'
import { reportSettingMessages } from './admin-messages.ts'
import { typeSchema } from './entitlement-schemas.ts'
import { TYPES } from './entitlements.ts'
import { defineRoutes } from './route.ts'

export const embedModeSchema = z.enum(['secure_sso', 'service_principal'])
export type EmbedMode = z.output<typeof embedModeSchema>

/** Which report an area shows, SPEC section 3. 'Nenhum' is the absence of a setting. */
export const reportSettingSchema = z.object({
  id: z.uuid(),
  type: typeSchema,
  embed_mode: embedModeSchema,
  report_url: z.nullable(z.string()),
  workspace_id: z.nullable(z.string()),
  report_id: z.nullable(z.string()),
  dataset_id: z.nullable(z.string()),
  /** Goes into If-Match: a setting that somebody else has saved meanwhile is not overwritten. */
  updated_at: z.string(),
})
export type ReportSetting = z.output<typeof reportSettingSchema>

/** If-Match of an administrator who saw no setting for the area. */
export const NO_SETTING = 'none'

/** What is left out is answered in the same words as what is left empty. */
const textSchema = (max: number, missing: string, tooLong: string) =>
  z.string(missing).check(z.trim(), z.maxLength(max, tooLong))
const nothing = z.optional(z.nullable(z.literal('')))

/** What an administrator types, by mode; what the texts must look like is checkReportSetting's business. */
export const reportSettingInputSchema = z.discriminatedUnion('embed_mode', [
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
export const REPORT_TEST_OUTCOMES = [
  'ok',
  'not-testable',
  'bad-credentials',
  'no-workspace-access',
  'report-not-found',
  'dataset-not-found',
  'dataset-mismatch',
  'identity-required',
  'identity-forbidden',
  'unknown-role',
  'without-rls',
  'capacity-paused',
  'rate-limited',
  'service-down',
  'refused',
] as const
export type ReportTestOutcome = (typeof REPORT_TEST_OUTCOMES)[number]

const typeParams = z.object({ type: z.enum(TYPES.map((type) => type.toLowerCase())) })

export const reportSettingsRoutes = defineRoutes({
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
    }),
  },
})

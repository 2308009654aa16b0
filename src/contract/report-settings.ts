import * as z from 'zod/mini'
import { typeSchema } from './entitlements.ts'
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
})
export type ReportSetting = z.output<typeof reportSettingSchema>

export const reportSettingsRoutes = defineRoutes({
  listReportSettings: {
    method: 'GET',
    path: '/api/global-powerbi-settings',
    access: 'admin',
    summary: 'Every configured area, in tab order',
    response: z.object({ items: z.array(reportSettingSchema) }),
  },
})

import type { reportSettingsRoutes } from '#contract/report-settings.ts'
import type { Db } from '#server/database/schema.ts'
import type { Handlers } from '#server/http/implement.ts'
import { listReportSettings } from './report-settings-queries.ts'

export function reportSettingsHandlers(db: Db): Handlers<typeof reportSettingsRoutes> {
  return {
    listReportSettings: async () => ({ items: await listReportSettings(db) }),
  }
}

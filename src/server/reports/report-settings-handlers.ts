import { type AccessType, typeOfSlug } from '#contract/catalogue.ts'
import type { reportSettingsRoutes } from '#contract/report-settings.ts'
import type { Db } from '#server/database/schema.ts'
import type { Handlers } from '#server/http/implement.ts'
import { removeReportSetting } from './remove-report-setting.ts'
import { listReportSettings } from './report-settings-queries.ts'
import { saveReportSetting } from './save-report-setting.ts'
import { type ReportTestTools, testReportSetting } from './test-report-setting.ts'

interface ReportSettingsTools extends ReportTestTools {
  db: Db
  /** ms since the epoch */
  clock: () => number
}

export function reportSettingsHandlers(tools: ReportSettingsTools): Handlers<typeof reportSettingsRoutes> {
  // The schema of the path takes known slugs alone.
  const typeOf = ({ type }: { type: string }) => typeOfSlug(type) as AccessType
  return {
    listReportSettings: async () => ({ items: await listReportSettings(tools.db) }),
    saveReportSetting: ({ params, body, ...write }) =>
      saveReportSetting(tools, body, { ...write, type: typeOf(params) }),
    removeReportSetting: ({ params, ...write }) =>
      removeReportSetting(tools, { ...write, type: typeOf(params) }),
    testReportSetting: ({ actor, body }) => testReportSetting(tools, actor, body),
  }
}

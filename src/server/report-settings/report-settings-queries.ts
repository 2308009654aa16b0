import { slugOfType, TYPES } from '#contract/entitlements.ts'
import type { ReportSetting } from '#contract/report-settings.ts'
import type { Db } from '#server/database/schema.ts'

/** Every configured area with its label instead of its slug, in tab order. */
export async function listReportSettings(db: Db): Promise<ReportSetting[]> {
  const rows = await db.selectFrom('global_powerbi_settings').selectAll().execute()
  return TYPES.flatMap((type) => {
    const row = rows.find((candidate) => candidate.type === slugOfType(type))
    return row ? [{ ...row, type }] : []
  })
}

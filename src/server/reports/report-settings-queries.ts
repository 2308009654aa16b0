import type { Selectable } from 'kysely'
import { type AccessType, slugOfType, TYPES } from '#contract/catalogue.ts'
import type { ReportSetting } from '#contract/report-settings.ts'
import type { Db, ReportSettingsTable } from '#server/database/schema.ts'

export type ReportSettingRow = Selectable<ReportSettingsTable>

/** A row as it goes over the wire: the label instead of the slug, the instant as ISO 8601. */
export function presentReportSetting(row: ReportSettingRow, type: AccessType): ReportSetting {
  return { ...row, type, updated_at: row.updated_at.toISOString() }
}

/** Every configured area, in tab order. */
export async function listReportSettings(db: Db): Promise<ReportSetting[]> {
  const rows = await db.selectFrom('global_powerbi_settings').selectAll().execute()
  return TYPES.flatMap((type) => {
    const row = rows.find((candidate) => candidate.type === slugOfType(type))
    return row ? [presentReportSetting(row, type)] : []
  })
}

/** An area's setting, locked until the transaction ends; undefined when there is none. */
export function lockReportSetting(db: Db, type: AccessType): Promise<ReportSettingRow | undefined> {
  return db
    .selectFrom('global_powerbi_settings')
    .selectAll()
    .where('type', '=', slugOfType(type))
    .forUpdate()
    .executeTakeFirst()
}

/** What the audit trail keeps of a setting. */
export function auditedSetting(row: ReportSettingRow, type: AccessType) {
  const { embed_mode, report_url, workspace_id, report_id, dataset_id } = row
  return { type, embed_mode, report_url, workspace_id, report_id, dataset_id }
}

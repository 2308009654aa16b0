import type { Selectable } from 'kysely'
import { slugOfType, TYPES } from '#contract/catalogue.ts'
import type { Db, ReportSettingsTable } from '#server/database/schema.ts'

export type ReportSettingRow = Selectable<ReportSettingsTable>

/** Slugs under which the settings of a person's types stand; unknown types have none. */
function slugsOf(types: readonly string[]): string[] {
  const slugs = types.map((type) => type.toLowerCase())
  return TYPES.map(slugOfType).filter((slug) => slugs.includes(slug))
}

/** The settings of the areas in someone's types: all that this person may ever see. */
export async function reportsVisibleTo(
  db: Db,
  person: { types: readonly string[] },
): Promise<ReportSettingRow[]> {
  const slugs = slugsOf(person.types)
  if (slugs.length === 0) return []
  return db.selectFrom('global_powerbi_settings').selectAll().where('type', 'in', slugs).execute()
}

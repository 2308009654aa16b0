import type { Catalogue } from '#contract/catalogue.ts'
import { inOrder, valuesOf } from '#contract/held-lists.ts'
import type { OwnReports, ReportArea } from '#contract/reports.ts'
import { readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, Context } from '#server/http/context.ts'
import type { ReportSettingRow } from './report-settings.ts'

/** What the reports screen needs, in tab order. Somebody who waits for approval, or whose access has ended, learns of no area. */
export const readOwnReports = ({ db, actor }: Context): Promise<OwnReports> => reportsOf(db, actor)

/** The same for anybody. */
export async function reportsOf(
  db: Db,
  { profile, approved, accessEnded }: Pick<Actor, 'profile' | 'approved' | 'accessEnded'>,
): Promise<OwnReports> {
  const catalogue = await readCatalogue(db)
  const visible = approved ? await reportsVisibleTo(db, catalogue, profile) : []
  const isInScope = hasScope(catalogue, profile)
  return {
    approved,
    endedOn: accessEnded ? profile.valid_until : null,
    emailVerified: profile.email_verified_at !== null,
    areas: visible.map((report) => presentArea(report, isInScope)),
    marcas: profile.marcas,
    estados: profile.estados,
  }
}

/** A report setting with the label of its area. */
interface VisibleReport extends ReportSettingRow {
  label: string
}

/** The settings of the areas in someone's types, in tab order: all that this person may ever see. */
export async function reportsVisibleTo(
  db: Db,
  catalogue: Catalogue,
  person: { types: readonly string[] },
): Promise<VisibleReport[]> {
  const own = inOrder(catalogue, 'types', person.types)
  const areas = catalogue.types.filter(({ label }) => own.includes(label))
  if (areas.length === 0) return []
  const slugs = areas.map(({ code }) => code)
  const settings = await db
    .selectFrom('global_powerbi_settings')
    .selectAll()
    .where('type', 'in', slugs)
    .execute()
  return areas.flatMap(({ code, label }) =>
    settings.filter(({ type }) => type === code).map((setting) => ({ ...setting, label })),
  )
}

/** Without a known brand or without a known state there is nothing that may be shown: fail closed. */
export function hasScope(
  catalogue: Catalogue,
  person: { marcas: readonly string[]; estados: readonly string[] },
): boolean {
  return (['marcas', 'estados'] as const).every((list) =>
    valuesOf(catalogue, list).some((code) => person[list].includes(code)),
  )
}

function presentArea({ label, ...setting }: VisibleReport, isInScope: boolean): ReportArea {
  return {
    type: label,
    embedMode: setting.embed_mode,
    reportUrl: isInScope ? setting.report_url : null,
    workspaceId: setting.workspace_id,
    reportId: setting.report_id,
    datasetId: setting.dataset_id,
  }
}

import { ESTADOS, inOrder, MARCAS, slugOfType, TYPES, typeOfSlug } from '#contract/catalogue.ts'
import type { OwnReports, ReportArea } from '#contract/reports.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import type { ReportSettingRow } from './report-settings.ts'

/** What the reports screen needs, in tab order. Somebody who waits for approval learns of no area. */
export async function readOwnReports({ db, actor: { profile } }: Context): Promise<OwnReports> {
  const settings = profile.approved ? await reportsVisibleTo(db, profile) : []
  const areas = settings.map((setting) => presentArea(setting, hasScope(profile)))
  const order = inOrder(
    'types',
    areas.map((area) => area.type),
  )
  return {
    approved: profile.approved,
    emailVerified: profile.email_verified_at !== null,
    areas: areas.sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type)),
    marcas: profile.marcas,
    estados: profile.estados,
  }
}

/** The settings of the areas in someone's types: all that this person may ever see. */
export async function reportsVisibleTo(
  db: Db,
  person: { types: readonly string[] },
): Promise<ReportSettingRow[]> {
  const own = person.types.map((type) => type.toLowerCase())
  const slugs = TYPES.map(slugOfType).filter((slug) => own.includes(slug))
  if (slugs.length === 0) return []
  return db.selectFrom('global_powerbi_settings').selectAll().where('type', 'in', slugs).execute()
}

/** Without a known brand or without a known state there is nothing that may be shown: fail closed. */
export function hasScope(person: { marcas: readonly string[]; estados: readonly string[] }): boolean {
  return (
    MARCAS.some((marca) => person.marcas.includes(marca)) &&
    ESTADOS.some((estado) => person.estados.includes(estado))
  )
}

function presentArea(setting: ReportSettingRow, isInScope: boolean): ReportArea {
  return {
    type: typeOfSlug(setting.type) ?? setting.type,
    embedMode: setting.embed_mode,
    reportUrl: isInScope ? setting.report_url : null,
    workspaceId: setting.workspace_id,
    reportId: setting.report_id,
    datasetId: setting.dataset_id,
  }
}

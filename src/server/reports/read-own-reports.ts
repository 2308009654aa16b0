import { ESTADOS, MARCAS, orderTypes, typeOfSlug } from '#contract/catalogue.ts'
import type { OwnReports, ReportArea } from '#contract/reports.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor } from '#server/http/context.ts'
import { type ReportSettingRow, reportsVisibleTo } from './report-queries.ts'

/** What the reports screen needs, in tab order. Somebody who waits for approval learns of no area. */
export async function readOwnReports(db: Db, actor: Actor): Promise<OwnReports> {
  const { profile } = actor
  const settings = profile.approved ? await reportsVisibleTo(db, profile) : []
  const areas = settings.map((setting) => presentArea(setting, hasScope(profile)))
  const order = orderTypes(areas.map((area) => area.type))
  return {
    approved: profile.approved,
    emailVerified: profile.email_verified_at !== null,
    areas: areas.sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type)),
    marcas: profile.marcas,
    estados: profile.estados,
  }
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

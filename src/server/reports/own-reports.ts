import { sql } from 'kysely'
import type { Catalogue } from '#contract/catalogue.ts'
import { getValues, sortItems } from '#contract/entitlement-lists.ts'
import type { OwnReports, ReportArea } from '#contract/reports.ts'
import type { Profile } from '#contract/users.ts'
import { CATALOGUE_JSON } from '#server/catalogue/catalogue.ts'
import { prepare } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor } from '#server/http/context.ts'
import { ACCESS_ENDS_AT, createNotFound, getApprovalAt, PROFILE_COLUMNS } from '#server/users/user-queries.ts'
import type { ReportSettingRow } from './report-settings.ts'

/**
 * Reads the caller's reports, in tab order; without approval, or after its end, there are no areas.
 * @param exports whether anything may be exported
 */
export async function readOwnReports(
  db: Db,
  { profile, approved, accessEnded }: Pick<Actor, 'profile' | 'approved' | 'accessEnded'>,
  exports: boolean,
): Promise<OwnReports> {
  const { catalogue, visible } = await readVisibleReports(db, profile)
  const isInScope = hasScope(catalogue, profile)
  return {
    approved,
    endedOn: accessEnded ? profile.valid_until : null,
    emailVerified: profile.email_verified_at !== null,
    areas: (approved ? visible : []).map((report) => ({
      ...presentArea(report, isInScope),
      canExport: exports && report.exports,
    })),
    marcas: profile.marcas,
    estados: profile.estados,
  }
}

/** A report setting with the label of its area. */
interface VisibleReport extends Omit<ReportSettingRow, 'updated_at'> {
  label: string
}

const READ_VISIBLE = prepare(`select ${CATALOGUE_JSON} as catalogue,
  (select coalesce(json_agg(s), '[]') from global_powerbi_settings as s) as settings`)

/** Reads the settings of a person's areas, in tab order, and the catalogue. */
export async function readVisibleReports(
  db: Db,
  person: { types: readonly string[] },
): Promise<{ catalogue: Catalogue; visible: VisibleReport[] }> {
  const query = sql.raw<{ catalogue: Catalogue; settings: Omit<ReportSettingRow, 'updated_at'>[] }>(
    READ_VISIBLE,
  )
  const { rows } = await query.execute(db)
  const { catalogue, settings } = rows[0] as (typeof rows)[number]
  const own = sortItems(catalogue, 'types', person.types)
  const areas = catalogue.types.filter(({ label }) => own.includes(label))
  const visible = areas.flatMap(({ code, label }) =>
    settings.filter(({ type }) => type === code).map((setting) => ({ ...setting, label })),
  )
  return { catalogue, visible }
}

/** Fails closed: without a known brand and a known state nothing may be shown. */
export function hasScope(
  catalogue: Catalogue,
  person: { marcas: readonly string[]; estados: readonly string[] },
): boolean {
  return (['marcas', 'estados'] as const).every((list) =>
    getValues(catalogue, list).some((code) => person[list].includes(code)),
  )
}

function presentArea(
  { label, ...setting }: VisibleReport,
  isInScope: boolean,
): Omit<ReportArea, 'canExport'> {
  return {
    type: label,
    embedMode: setting.embed_mode,
    reportUrl: isInScope ? setting.report_url : null,
    workspaceId: setting.workspace_id,
    reportId: setting.report_id,
    datasetId: setting.dataset_id,
  }
}

/**
 * Reads a person as a request of their own would.
 * @throws ProblemError not-found
 */
export async function findReader(
  { db, clock }: { db: Db; clock: () => number },
  userId: string,
): Promise<Pick<Actor, 'profile' | 'approved' | 'accessEnded' | 'accessEndsAt' | 'entitlementVersion'>> {
  const { rows } = await sql<Profile & { version: number; ends_at: number | null }>`
    select ${sql.raw(PROFILE_COLUMNS)}, p.entitlement_version as version, ${sql.raw(ACCESS_ENDS_AT)} as ends_at
    from profiles p where p.user_id = ${userId}`.execute(db)
  if (!rows[0]) throw createNotFound()
  const { version, ends_at, ...profile } = rows[0]
  return { profile, entitlementVersion: version, ...getApprovalAt(clock(), profile.approved, ends_at) }
}

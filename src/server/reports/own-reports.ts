import { CompiledQuery, sql } from 'kysely'
import type { Catalogue } from '#contract/catalogue.ts'
import { getValues, sortItems } from '#contract/entitlement-lists.ts'
import type { AreaReport, OwnReports } from '#contract/reports.ts'
import type { Profile } from '#contract/users.ts'
import { CATALOGUE_JSON } from '#server/catalogue/catalogue.ts'
import { prepare } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor } from '#server/http/context.ts'
import { ACCESS_ENDS_AT, createNotFound, getApprovalAt, PROFILE_COLUMNS } from '#server/users/user-queries.ts'
import type { ReportSettingRow } from './report-settings.ts'

/**
 * Reads the caller's reports, in tab order; without approval, or after its end, there are no areas.
 * @param own whether anything may be exported; an administrator who views as a person exports nothing,
 *   and no view of theirs opens first
 */
export async function readOwnReports(
  db: Db,
  { profile, approved, accessEnded }: Pick<Actor, 'profile' | 'approved' | 'accessEnded'>,
  own?: { exports: boolean },
): Promise<OwnReports> {
  const { catalogue, visible, firstViews } = await readVisibleReports(db, profile, own && profile.user_id)
  const isInScope = hasScope(catalogue, profile)
  const findFirstView = ({ type, report_id }: VisibleReport) =>
    firstViews.find((view) => view.type === type && view.report_id === report_id)?.id
  const present = (report: VisibleReport): AreaReport => ({
    id: report.id,
    name: report.name,
    embedMode: report.embed_mode,
    reportUrl: isInScope ? report.report_url : null,
    workspaceId: report.workspace_id,
    reportId: report.report_id,
    datasetId: report.dataset_id,
    pageName: report.page_name ?? undefined,
    bookmarkName: report.bookmark_name ?? undefined,
    canExport: own?.exports === true && report.exports,
    firstViewId: findFirstView(report),
  })
  const areas = Map.groupBy(approved ? visible : [], ({ label }) => label)
  return {
    approved,
    endedOn: accessEnded ? profile.valid_until : null,
    emailVerified: profile.email_verified_at !== null,
    areas: [...areas].map(([type, reports]) => {
      const presented = reports.map(present) as [AreaReport, ...AreaReport[]]
      return { ...presented[0], type, reports: presented }
    }),
    marcas: profile.marcas,
    estados: profile.estados,
  }
}

/** A saved view that opens its report. */
interface FirstView {
  id: string
  type: string
  report_id: string
}

type StoredReport = Omit<ReportSettingRow, 'updated_at' | 'name'>

/** A report with the label of its area, which also names a first report without a name. */
interface VisibleReport extends StoredReport {
  label: string
  name: string
}

const READ_REPORTS = prepare(`select ${CATALOGUE_JSON} as catalogue,
  (select coalesce(json_agg(s), '[]') from global_powerbi_settings as s) as settings,
  (select coalesce(json_agg(f order by f.position, f.id), '[]') from further_reports as f
    where f.deleted_at is null) as further,
  (select coalesce(json_agg(json_build_object('id', v.id, 'type', v.type, 'report_id', v.report_id)), '[]')
    from report_views as v where v.user_id = $1 and v.is_default and v.deleted_at is null) as first_views`)

/**
 * Reads the catalogue and all reports, in tab order, each area's specified one first. Without that one
 * an area has no further reports either, as for people.
 * @param viewerId whose views that open first are wanted
 */
export async function readReports(
  db: Db,
  viewerId?: string,
): Promise<{ catalogue: Catalogue; reports: VisibleReport[]; firstViews: FirstView[] }> {
  const query: CompiledQuery<{
    catalogue: Catalogue
    settings: (StoredReport & Pick<ReportSettingRow, 'name'>)[]
    further: (StoredReport & { name: string })[]
    first_views: FirstView[]
  }> = CompiledQuery.raw(READ_REPORTS, [viewerId ?? null])
  const { rows } = await db.executeQuery(query)
  const { catalogue, settings, further, first_views: firstViews } = rows[0] as (typeof rows)[number]
  const reports = catalogue.types.flatMap(({ code, label }) => {
    const first = settings.find(({ type }) => type === code)
    if (!first) return []
    const others = further.filter(({ type }) => type === code).map((report) => ({ ...report, label }))
    // A report alone in its area needs no name.
    return [{ ...first, label, name: (others.length > 0 && first.name) || label }, ...others]
  })
  return { catalogue, reports, firstViews }
}

/** Reads the reports of a person's areas, and the catalogue. */
export async function readVisibleReports(db: Db, person: { types: readonly string[] }, viewerId?: string) {
  const { catalogue, reports, firstViews } = await readReports(db, viewerId)
  const own = sortItems(catalogue, 'types', person.types)
  return { catalogue, visible: reports.filter(({ label }) => own.includes(label)), firstViews }
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

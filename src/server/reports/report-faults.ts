import { sql } from 'kysely'
import type { ReportFault } from '#contract/health.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ReportRef } from '#server/power-bi/power-bi.ts'
import { readReports } from './own-reports.ts'

/** Temporary failures in a row, of whatever people, that count as a fault. */
const MAX_TEMPORARY = 3
const TEMPORARY = ['power-bi-unavailable', 'capacity-paused']

const toKey = ({ workspaceId, reportId, datasetId }: ReportRef) =>
  [workspaceId, reportId, datasetId ?? ''].join(' ')

/** Requests a token and keeps for administrators whether the report gives any. */
export async function trackFault<T>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  report: ReportRef,
  requestToken: () => Promise<T>,
): Promise<T> {
  const key = toKey(report)
  try {
    const token = await requestToken()
    const { numDeletedRows } = await db
      .deleteFrom('report_faults')
      .where('report', '=', key)
      .executeTakeFirst()
    if (numDeletedRows > 0n) await notify(db)
    return token
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const isDefinite = error.code === 'power-bi-rejected'
    if (!isDefinite && !TEMPORARY.includes(error.code)) throw error
    const says = error.options.fault ?? error.message
    const { rows } = await sql<{ failures: number; before: string | null }>`
      with before as (select says from report_faults where report = ${key})
      insert into report_faults (report, since, failures, is_definite, says)
      values (${key}, ${new Date(clock())}, 1, ${isDefinite}, ${says})
      on conflict (report) do update set failures = report_faults.failures + 1,
        is_definite = excluded.is_definite, says = excluded.says
      returning failures, (select says from before) as before`.execute(db)
    const isNew = rows[0]?.before !== says || rows[0]?.failures === MAX_TEMPORARY
    if (isNew) await notify(db)
    throw error
  }
}

/** Lists the reports that gave no token last, in tab order. */
export async function listReportFaults(db: Db): Promise<ReportFault[]> {
  const rows = await db
    .selectFrom('report_faults')
    .selectAll()
    .where((is) => is.or([is('is_definite', '=', true), is('failures', '>=', MAX_TEMPORARY)]))
    .execute()
  if (rows.length === 0) return []
  const { reports } = await readReports(db)
  return reports.flatMap(({ type, label, name, workspace_id, report_id, dataset_id }) => {
    const report = { workspaceId: workspace_id ?? '', reportId: report_id ?? '', datasetId: dataset_id }
    const row = rows.find((each) => each.report === toKey(report))
    return row ? [{ area: type, label, name, since: row.since.toISOString(), says: row.says }] : []
  })
}

/** Every replica reads again what administrators' pages show. */
async function notify(db: Db): Promise<void> {
  await sql`insert into changes (kind, subject_id) values ('settings', '00000000-0000-0000-0000-000000000000')`.execute(
    db,
  )
  await sql`select pg_notify('changes', '')`.execute(db)
}

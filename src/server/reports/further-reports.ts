import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { AuditAction } from '#contract/audit-actions.ts'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { listSpellings } from '#contract/entitlement-lists.ts'
import { reportSettingMessages } from '#contract/report-setting-rules.ts'
import {
  type FurtherReport,
  type FurtherReportInput,
  MAX_FURTHER_REPORTS,
  type reportSettingsRoutes,
} from '#contract/report-settings.ts'
import type { ReplyOf } from '#contract/route.ts'
import type { Undoable } from '#contract/undo.ts'
import { findArea, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import { type ChangeToUndo, createChangedSinceError, recordAudit } from '#server/operations/audit.ts'
import { ACCESS_ENDS_AT } from '#server/users/user-queries.ts'
import {
  isSameState,
  lockReportSetting,
  notifyAdministrators,
  presentReportSetting,
  type ReportSettingContext,
  type ReportSettingRow,
  refuseStaleWrite,
  refuseTakenName,
  refuseTakenReport,
  toAuditedSetting,
  toFormerColumns,
  toSettingColumns,
  updateReport,
} from './report-settings.ts'

type Row = Selectable<Tables['further_reports']>

/** A further report of an area, by the area's slug and its own id. */
interface ReportPlace {
  type: string
  id: string
}

/** Lists the further reports of an area, in order, and counts who would lose one. */
export async function listFurtherReports(
  { db, clock }: Context,
  slug: string,
): Promise<ReplyOf<typeof reportSettingsRoutes.listFurtherReports>> {
  const area = findArea(await readCatalogue(db), { slug })
  const items = await selectReports(db, slug).execute()
  const { rows } = await sql<{ people: number }>`
    select count(*)::int as people from profiles p
    where p.approved and p.types && ${listSpellings(area.label)}::text[]
      and coalesce(${sql.raw(ACCESS_ENDS_AT)} > ${clock()}, true)`.execute(db)
  return { items: items.map((row) => presentFurtherReport(row, area)), people: rows[0]?.people ?? 0 }
}

/**
 * Adds a report to an area.
 * @throws ProblemError invalid-input, also for a name or a report that the area has, limit-reached
 */
export function addFurtherReport(
  context: ReportSettingContext,
  { slug, input }: { slug: string; input: FurtherReportInput },
): Promise<FurtherReport & Undoable> {
  const { name, position, columns } = toColumns(context, input)
  return changeReports(context, slug, async ({ db, area, first, others, record }) => {
    if (area.archived) throw toFieldError('type', reportSettingMessages.archived(area.label))
    assertRoom(area, { name, ...columns }, first, others)
    const last = others.at(-1)?.position ?? 0
    const row = { type: slug, name, position: last + 1, ...columns, updated_at: new Date(context.clock()) }
    const added = await db.insertInto('further_reports').values(row).returningAll().executeTakeFirstOrThrow()
    if (position !== undefined) await movePlace(db, added, others, position)
    const saved = { ...added, position: (position ?? last) + 1 }
    const undoId = await record('report-setting-saved', { after: saved })
    return { ...presentFurtherReport(saved, area), undoId }
  })
}

/**
 * Changes a further report, or its place.
 * @throws ProblemError not-found, invalid-input, conflict with a stale ifMatch
 */
export function changeFurtherReport(
  context: ReportSettingContext,
  { type, id, ifMatch, input }: ReportPlace & { ifMatch: string | undefined; input: FurtherReportInput },
): Promise<FurtherReport & Undoable> {
  const { name, position, columns } = toColumns(context, input)
  return changeReports(context, type, async ({ db, area, first, others: all, record }) => {
    const current = findReport(all, id)
    await refuseStaleWrite({ ...context, db }, area, ifMatch, current)
    const others = all.filter((other) => other !== current)
    assertRoom(area, { name, ...columns }, first, others)
    if (position !== undefined) await movePlace(db, current, others, position)
    const saved = await updateReport(db, 'further_reports', current, { ...columns, name }, context.clock())
    const undoId = await record('report-setting-saved', { before: current, after: saved })
    return { ...presentFurtherReport(saved, area), undoId }
  })
}

/** Removes a further report. @throws ProblemError not-found, conflict with a stale ifMatch */
export function removeFurtherReport(
  context: Context,
  { type, id, ifMatch }: ReportPlace & { ifMatch: string | undefined },
): Promise<Undoable> {
  return changeReports(context, type, async ({ db, area, others, record }) => {
    const current = findReport(others, id)
    await refuseStaleWrite({ ...context, db }, area, ifMatch, current)
    await setDeletedAt(db, id, new Date(context.clock()))
    return { undoId: await record('report-setting-removed', { before: current }) }
  })
}

/** Undoes a change of a further report. @throws ProblemError conflict if it was changed since */
export async function undoFurtherReport(
  context: Context,
  { before, after, batchId }: ChangeToUndo,
): Promise<void> {
  const { code } = findArea(await readCatalogue(context.db), { label: String((before ?? after)?.type) })
  const change: Change<unknown> = async ({ db, area, first, others, record }) => {
    const found = (await selectReports(db, code, !after).orderBy('updated_at', 'desc').execute()).find(
      (row) => isSameState(toAudited(row, area), after ?? before),
    )
    if (!found) throw createChangedSinceError()
    if (!before) {
      await setDeletedAt(db, found.id, new Date(context.clock()))
      return record('report-setting-removed', { before: found })
    }
    const former = { ...found, ...toFormerColumns(before) } as Row
    const rest = others.filter(({ id }) => id !== found.id)
    assertRoom(area, former, first, rest)
    if (!after) {
      await setDeletedAt(db, found.id, null)
      return record('report-setting-saved', { after: found })
    }
    const position = Number(before.position)
    if (position !== found.position) await movePlace(db, found, rest, position - 1)
    const saved = await updateReport(db, 'further_reports', found, toFormerColumns(before), context.clock())
    return record('report-setting-saved', { before: found, after: saved })
  }
  await runChange(context, code, change, batchId)
}

interface AreaReports {
  db: Db
  area: CatalogueItem
  first: ReportSettingRow
  /** The further reports, in order. */
  others: Row[]
  /** Audits a change and mails it to administrators; saving the current values is none: null. */
  record: (action: AuditAction, rows: { before?: Row; after?: Row }) => Promise<string | null>
}
type Change<T> = (reports: AreaReports) => Promise<T>

function changeReports<T>(context: Context, slug: string, change: Change<T>): Promise<T> {
  return runAdminTransaction(context, (db) => runChange({ ...context, db }, slug, change, randomUUID()))
}

/** Runs a change, one at a time for an area: the lock of its setting serializes them. */
async function runChange<T>(context: Context, slug: string, change: Change<T>, batchId: string): Promise<T> {
  const { db } = context
  const area = findArea(await readCatalogue(db), { slug })
  const first = await lockReportSetting(db, slug)
  if (!first) throw toFieldError('type', reportSettingMessages.firstMissing(area.label))
  const others = await selectReports(db, slug).execute()
  return change({
    db,
    area,
    first,
    others,
    async record(action, rows) {
      const [before, after] = [rows.before, rows.after].map((row) => row && toAudited(row, area))
      if (JSON.stringify(before) === JSON.stringify(after)) return null
      await notifyAdministrators(db)
      await recordAudit(context, { action, ...(before && { before }), ...(after && { after }), batchId })
      return batchId
    },
  })
}

function selectReports(db: Db, slug: string, isRemoved = false) {
  return db
    .selectFrom('further_reports')
    .selectAll()
    .where('type', '=', slug)
    .where('deleted_at', isRemoved ? 'is not' : 'is', null)
    .orderBy('position')
    .orderBy('id')
}

function findReport(rows: readonly Row[], id: string): Row {
  const row = rows.find((each) => each.id === id)
  if (!row) throw new ProblemError('not-found', { detail: reportSettingMessages.reportGone })
  return row
}

function toColumns({ powerBiHosts }: ReportSettingContext, { name, position, ...input }: FurtherReportInput) {
  return { name, position, columns: toSettingColumns(input, powerBiHosts) }
}

/** @throws ProblemError invalid-input for a name or report that the area has, limit-reached */
function assertRoom(
  { label }: CatalogueItem,
  wanted: Pick<Row, 'name' | 'report_id' | 'report_url'>,
  first: ReportSettingRow,
  others: readonly Row[],
): void {
  if (others.length >= MAX_FURTHER_REPORTS)
    throw new ProblemError('limit-reached', { detail: reportSettingMessages.tooMany })
  const all = [{ ...first, name: first.name ?? label }, ...others]
  // The area's label alone would name its first report.
  refuseTakenName(wanted.name, [...all, { name: label }])
  refuseTakenReport(wanted, all)
}

/** Puts a report at an index among the others and numbers all of them. */
async function movePlace(db: Db, moved: Row, others: readonly Row[], index: number): Promise<void> {
  const ids = others.map(({ id }) => id).toSpliced(index, 0, moved.id)
  await sql`update further_reports r set position = o.position
    from unnest(${ids}::uuid[]) with ordinality as o(id, position) where r.id = o.id`.execute(db)
}

async function setDeletedAt(db: Db, id: string, deleted_at: Date | null): Promise<void> {
  await db.updateTable('further_reports').set({ deleted_at }).where('id', '=', id).execute()
}

function presentFurtherReport(row: Row, area: CatalogueItem): FurtherReport {
  return { ...presentReportSetting(row, area), name: row.name }
}

function toAudited(row: Row, area: CatalogueItem) {
  return { ...toAuditedSetting(row, area), position: row.position }
}

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Selectable, sql } from 'kysely'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { foldText } from '#contract/entitlement-lists.ts'
import { checkReportSetting, NO_SETTING, reportSettingMessages } from '#contract/report-setting-rules.ts'
import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import { normalizeShareUrl } from '#contract/share-url.ts'
import type { Undoable } from '#contract/undo.ts'
import { findArea, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import { type ChangeToUndo, createChangedSinceError, recordAudit } from '#server/operations/audit.ts'
import { queueAdministratorMail } from '#server/users/mails.ts'

export type ReportSettingRow = Selectable<Tables['global_powerbi_settings']>

type Columns = Pick<
  ReportSettingRow,
  'embed_mode' | 'report_url' | 'workspace_id' | 'report_id' | 'dataset_id'
> & {
  exports?: boolean | undefined
  page_name?: string | null | undefined
  bookmark_name?: string | null | undefined
}

type NamedColumns = Columns & { name?: string | null }

export interface ReportSettingContext extends Context {
  /** Hosts allowed in share URLs. */
  powerBiHosts: string[]
}

/** A conditional write of an area's setting. */
interface SettingWrite {
  /** The area's slug. */
  slug: string
  /** updated_at of the setting that the administrator saw, or 'none'; undefined skips the check. */
  ifMatch: string | undefined
}

/** Lists the configured areas, in tab order. */
export async function listReportSettings(db: Db): Promise<ReportSetting[]> {
  const rows = await db.selectFrom('global_powerbi_settings').selectAll().execute()
  const { types } = await readCatalogue(db)
  return types.flatMap((area) => {
    const row = rows.find((candidate) => candidate.type === area.code)
    return row ? [presentReportSetting(row, area)] : []
  })
}

/**
 * Sets the report of an area. Saving the current values changes nothing.
 * @throws ProblemError invalid-input, also for an archived area without a report; conflict with a
 *   stale ifMatch
 */
export async function saveReportSetting(
  context: ReportSettingContext,
  { slug, ifMatch, input }: SettingWrite & { input: ReportSettingInput },
): Promise<ReportSetting & Undoable> {
  const { name } = input
  const columns = { ...toSettingColumns(input, context.powerBiHosts), ...(name !== undefined && { name }) }
  return runAdminTransaction(context, async (db) => {
    const txContext = { ...context, db }
    const area = findArea(await readCatalogue(db), { slug })
    const current = await lockReportSetting(db, slug)
    await refuseStaleWrite(txContext, area, ifMatch, current)
    if (current && isSame(current, columns)) return { ...presentReportSetting(current, area), undoId: null }
    const undoId = randomUUID()
    const saved = await writeReportSetting(txContext, { area, current, columns, batchId: undoId })
    return { ...presentReportSetting(saved, area), undoId }
  })
}

interface SettingChange {
  area: CatalogueItem
  current: ReportSettingRow | undefined
  columns: NamedColumns
  batchId: string
}

async function writeReportSetting(context: Context, { area, current, columns, batchId }: SettingChange) {
  const { db } = context
  if (!current && area.archived) throw toFieldError('type', reportSettingMessages.archived(area.label))
  const others = await db
    .selectFrom('further_reports')
    .selectAll()
    .where('type', '=', area.code)
    .where('deleted_at', 'is', null)
    .execute()
  refuseTakenReport(columns, others)
  if (columns.name) refuseTakenName(columns.name, others)
  const at = context.clock()
  const saved = current
    ? await updateReport(db, 'global_powerbi_settings', current, columns, at)
    : await insertSetting(db, { type: area.code, ...columns, updated_at: new Date(at) })
  // A concurrent insert won.
  if (!saved) throw await createConflictError(context, area)
  await notifyAdministrators(db)
  await recordAudit(context, {
    action: 'report-setting-saved',
    ...(current && { before: toAuditedSetting(current, area) }),
    after: toAuditedSetting(saved, area),
    batchId,
  })
  return saved
}

/**
 * Removes the report of an area (mode 'Nenhum').
 * @returns removed: false when there was none (any more)
 * @throws ProblemError conflict with a stale ifMatch
 */
export async function removeReportSetting(
  context: Context,
  { slug, ifMatch }: SettingWrite,
): Promise<{ removed: boolean } & Undoable> {
  return runAdminTransaction(context, async (db) => {
    const area = findArea(await readCatalogue(db), { slug })
    const current = await lockReportSetting(db, slug)
    if (!current) return { removed: false, undoId: null }
    await refuseStaleWrite({ ...context, db }, area, ifMatch, current)
    const undoId = randomUUID()
    await deleteReportSetting({ ...context, db }, area, current, undoId)
    return { removed: true, undoId }
  })
}

async function deleteReportSetting(
  context: Context,
  area: CatalogueItem,
  current: ReportSettingRow,
  batchId: string,
): Promise<void> {
  await context.db.deleteFrom('global_powerbi_settings').where('id', '=', current.id).execute()
  await notifyAdministrators(context.db)
  const before = toAuditedSetting(current, area)
  await recordAudit(context, { action: 'report-setting-removed', before, batchId })
}

/** Undoes a change of an area's first report. @throws ProblemError conflict if it was changed since */
export async function undoReportSetting(
  context: Context,
  { before, after, batchId }: ChangeToUndo,
): Promise<void> {
  const label = String((before ?? after)?.type)
  const area = findArea(await readCatalogue(context.db), { label })
  const current = await lockReportSetting(context.db, area.code)
  if (!isSameState(current && toAuditedSetting(current, area), after)) throw createChangedSinceError()
  if (before) await writeReportSetting(context, { area, current, columns: toFormerColumns(before), batchId })
  else if (current) await deleteReportSetting(context, area, current, batchId)
}

/** Converts the state of a report in the trail, where it leaves out what is not set, to columns. */
export function toFormerColumns(state: object): NamedColumns {
  const { type: _, id: __, position: ___, ...columns } = state as Record<string, unknown>
  return { page_name: null, bookmark_name: null, name: null, ...columns } as unknown as NamedColumns
}

/** Compares states of a report in the trail; one that comes back has another id. */
export function isSameState(one: unknown, other: unknown): boolean {
  if (!one || !other) return !one && !other
  return isDeepStrictEqual({ ...one, id: undefined }, { ...other, id: undefined })
}

/**
 * Queues the mail about a change; debounced, so that one mail covers those of a few minutes. Call it
 * before the change is audited.
 */
export function notifyAdministrators(db: Db): Promise<void> {
  return queueAdministratorMail({ db }, { kind: 'report-settings-changed', restSeconds: 120 })
}

/**
 * Validates an input and converts it to columns; those of the other mode are null.
 * @throws ProblemError invalid-input with the messages of the contract
 */
export function toSettingColumns(input: ReportSettingInput, hosts: readonly string[]): Columns {
  const fields = checkReportSetting(input, hosts)
  if (fields[0]) throw new ProblemError('invalid-input', { detail: fields[0].message, fields })
  const nothing = { report_url: null, workspace_id: null, report_id: null, dataset_id: null }
  if (input.embed_mode === 'secure_sso')
    return { ...nothing, embed_mode: input.embed_mode, report_url: normalizeShareUrl(input.report_url) }
  const { embed_mode, workspace_id, report_id, dataset_id, exports, page_name, bookmark_name } = input
  const ids = { workspace_id, report_id, dataset_id: dataset_id || null }
  // Left out, it stays as it is: pages of the version before do not send it.
  const opening = {
    page_name: page_name === '' ? null : page_name,
    bookmark_name: bookmark_name === '' ? null : bookmark_name,
  }
  return { ...nothing, embed_mode, ...ids, exports, ...opening }
}

/**
 * Refuses a report that is one of the area's others: saved views, exports and the age of the data
 * go by area and report id. @throws ProblemError invalid-input
 */
export function refuseTakenReport(
  wanted: Pick<Columns, 'report_id' | 'report_url'>,
  others: readonly (Pick<Columns, 'report_id' | 'report_url'> & { name: string })[],
): void {
  const path = wanted.report_id === null ? 'report_url' : 'report_id'
  const same = others.find((each) => each[path]?.toLowerCase() === wanted[path]?.toLowerCase())
  if (same) throw toFieldError(path, reportSettingMessages.reportTaken(same.name))
}

/** @throws ProblemError invalid-input for a name that another report of the area has */
export function refuseTakenName(wanted: string, others: readonly { name: string }[]): void {
  if (others.some(({ name }) => foldText(name) === foldText(wanted)))
    throw toFieldError('name', reportSettingMessages.nameTaken)
}

/** Converts a row to its wire form: the label instead of the slug, the instant as ISO 8601. */
export function presentReportSetting(row: ReportSettingRow, { label }: CatalogueItem): ReportSetting {
  return { ...row, type: label, updated_at: row.updated_at.toISOString() }
}

export function toAuditedSetting(row: ReportSettingRow, { label }: CatalogueItem) {
  const { id, embed_mode, report_url, workspace_id, report_id, dataset_id, exports, ...others } = row
  // Access records name a report without an id of Power BI by that of its setting.
  const ids = { workspace_id, report_id, dataset_id, ...(report_id === null && { id }) }
  const { page_name, bookmark_name, name } = others
  const given = Object.entries({ page_name, bookmark_name, name }).filter(([, value]) => value !== null)
  return { type: label, embed_mode, report_url, ...ids, exports, ...Object.fromEntries(given) }
}

/** Locks an area's setting until the transaction ends. */
export function lockReportSetting(db: Db, slug: string): Promise<ReportSettingRow | undefined> {
  return db
    .selectFrom('global_powerbi_settings')
    .selectAll()
    .where('type', '=', slug)
    .forUpdate()
    .executeTakeFirst()
}

function isSame(row: ReportSettingRow, columns: NamedColumns): boolean {
  const keys = Object.keys(columns) as (keyof NamedColumns)[]
  return keys.every((key) => columns[key] === undefined || row[key] === columns[key])
}

/**
 * Updates a report. updated_at is also the version, so it advances by at least a millisecond; where
 * the report opens comes last, because another report forgets it.
 */
export async function updateReport<T extends 'global_powerbi_settings' | 'further_reports'>(
  db: Db,
  table: T,
  current: ReportSettingRow,
  { page_name, bookmark_name, ...columns }: NamedColumns,
  at: number,
): Promise<Selectable<Tables[T]>> {
  const updated_at = new Date(Math.max(at, current.updated_at.getTime() + 1))
  // Both tables have these columns.
  const update = (values: object) =>
    db
      .updateTable(table as 'further_reports')
      .set({ ...values, updated_at })
      .where('id', '=', current.id)
      .returningAll()
      .executeTakeFirstOrThrow()
  await update(columns)
  return (await update({ page_name, bookmark_name })) as Selectable<Tables[T]>
}

function insertSetting(db: Db, row: NamedColumns & { type: string; updated_at: Date }) {
  return db
    .insertInto('global_powerbi_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('type').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** @throws ProblemError conflict with a stale ifMatch */
export async function refuseStaleWrite(
  context: Context,
  area: CatalogueItem,
  ifMatch: string | undefined,
  current: ReportSettingRow | undefined,
): Promise<void> {
  if (ifMatch === undefined || ifMatch === (current?.updated_at.toISOString() ?? NO_SETTING)) return
  throw await createConflictError(context, area)
}

/** Creates the conflict, naming the author of the last change. */
async function createConflictError({ db, actor }: Context, { label }: CatalogueItem): Promise<ProblemError> {
  const last = await db
    .selectFrom('audit_entries')
    .select(['action', 'actor_id', 'actor_email'])
    .where('action', 'in', ['report-setting-saved', 'report-setting-removed'])
    .where(sql<boolean>`coalesce(after, before) ->> 'type' = ${label}`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const what = last?.action === 'report-setting-removed' ? 'removida' : 'alterada'
  const who = last?.actor_id === actor.profile.user_id ? 'você, em outra janela,' : last?.actor_email
  const by = who ? ` por ${who}` : ''
  return new ProblemError('conflict', {
    detail: `A configuração de ${label} foi ${what}${by} nesse meio-tempo. Confira a configuração atual antes de continuar.`,
  })
}

import { sql } from 'kysely'
import { reportViewMessages } from '#contract/messages.ts'
import {
  MAX_STATES_LENGTH,
  MAX_VIEWS,
  type ReportView,
  type reportViewRoutes,
} from '#contract/report-views.ts'
import type { BodyOf, ReplyOf } from '#contract/route.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, Context } from '#server/http/context.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { lockProfile, toAreaAccessSql, toInstantSql } from '#server/users/user-queries.ts'
import { readVisibleReports } from './own-reports.ts'

const WRITES = { max: 60, windowSeconds: 60 }
/** Bounds the list of others' views, and the deleted views of a person. */
const [MAX_OPENED, MAX_DELETED] = [100, 10]
const FOREIGN_KEY_VIOLATION = '23503'

export interface ReportViewContext extends Context {
  consumeRateLimit: ConsumeRateLimit
}

type StoredView = ReplyOf<typeof reportViewRoutes.readReportView> & { user_id: string; type: string }

/** Selects the views that are not deleted and that the caller may see, as the caller sees them. */
function selectViews({ db, clock }: Pick<Context, 'db' | 'clock'>, actorId: string) {
  return db
    .selectFrom('report_views as v')
    .innerJoin('profiles as p', 'p.user_id', 'v.user_id')
    .innerJoin('catalogue_items as c', (join) =>
      join.onRef('c.code', '=', 'v.type').on('c.kind', '=', 'types'),
    )
    .select([
      'v.id',
      'v.user_id',
      'v.type',
      'c.label as area',
      'v.report_id as reportId',
      'v.name',
      'v.shared',
      'v.state_hash as stateHash',
    ])
    .select([
      sql<boolean>`v.is_default and v.user_id = ${actorId}`.as('isDefault'),
      sql<string | null>`case when v.user_id <> ${actorId} then coalesce(p.full_name, 'Um colega') end`.as(
        'owner',
      ),
      sql<string>`${sql.raw(toInstantSql('v.updated_at'))}`.as('updatedAt'),
    ])
    .where('v.deleted_at', 'is', null)
    .where((where) =>
      where.or([
        where('v.user_id', '=', actorId),
        // A shared view ends with its owner's access.
        where.and([where('v.shared', '=', true), sql<boolean>`${sql.raw(toAreaAccessSql(String(clock())))}`]),
      ]),
    )
}

/** Lists the caller's views and the shared ones that they have opened, in their areas, by name. */
export async function listReportViews(
  { db, actor, clock }: Pick<Context, 'db' | 'actor' | 'clock'>,
  { area }: { area?: string | undefined },
): Promise<ReportView[]> {
  const actorId = actor.profile.user_id
  const { visible } = await readVisibleReports(db, actor.profile)
  const labels = visible.flatMap(({ label }) => (area === undefined || label === area ? label : []))
  if (labels.length === 0) return []
  return selectViews({ db, clock }, actorId)
    .where(
      sql<boolean>`v.id in (select id from report_views where user_id = ${actorId} union all
        (select view_id from opened_report_views where user_id = ${actorId}
          order by opened_at desc limit ${sql.lit(MAX_OPENED)}))`,
    )
    .where('c.label', 'in', labels)
    .orderBy(sql`v.name collate "und-x-icu"`)
    .execute()
}

/**
 * Reads a view that the caller may open: their own or a shared one, of an area that they have.
 * @throws ProblemError not-found
 */
export async function findReportView(
  context: Pick<Context, 'db' | 'clock'>,
  { profile }: Pick<Actor, 'profile'>,
  id: string,
): Promise<StoredView> {
  const view = await selectViews(context, profile.user_id)
    .select([
      'v.state',
      sql<boolean>`not (p.marcas <@ ${profile.marcas}::text[] and p.estados <@ ${profile.estados}::text[])`.as(
        'ownerSeesMore',
      ),
    ])
    .where('v.id', '=', id)
    .executeTakeFirst()
  const { visible } = await readVisibleReports(context.db, profile)
  if (!view || !visible.some(({ type }) => type === view.type)) throw createGoneError()
  return view
}

/** Reads a view of a report that the caller may open. @throws ProblemError not-found */
export async function findViewOfReport(
  context: Pick<Context, 'db' | 'clock'>,
  actor: Pick<Actor, 'profile'>,
  { area, reportId, viewId }: { area: string; reportId: string; viewId: string },
): Promise<StoredView> {
  const view = await findReportView(context, actor, viewId)
  if (view.area !== area || view.reportId !== reportId)
    throw new ProblemError('not-found', { detail: 'Esta visão não é deste relatório.' })
  return view
}

/** Reads a view, and adds a shared one to the caller's list. @throws ProblemError not-found */
export async function readReportView({ db, actor, clock }: Context, id: string): Promise<StoredView> {
  const view = await findReportView({ db, clock }, actor, id)
  const opened_at = new Date(clock())
  if (view.owner !== null)
    await db
      .insertInto('opened_report_views')
      .values({ user_id: actor.profile.user_id, view_id: id, opened_at })
      .onConflict((conflict) => conflict.columns(['user_id', 'view_id']).doUpdateSet({ opened_at }))
      .execute()
      .catch((error) => {
        // The view or the caller was deleted meanwhile.
        throw error.code === FOREIGN_KEY_VIOLATION ? createGoneError() : error
      })
  return view
}

/**
 * Saves a view of a report that the caller has.
 * @throws ProblemError report-not-found, also for shared links, limit-reached, rate-limited
 */
export function saveReportView(
  context: ReportViewContext,
  { area, reportId, name, state, isDefault = false }: BodyOf<typeof reportViewRoutes.saveReportView>,
): Promise<ReportView> {
  const user_id = context.actor.profile.user_id
  return changeViews(context, async (db) => {
    const { visible } = await readVisibleReports(db, context.actor.profile)
    const report = visible.find(
      (each) => each.label === area && each.report_id === reportId && each.embed_mode === 'service_principal',
    )
    if (!report) throw new ProblemError('report-not-found')
    const key = { user_id, type: report.type, report_id: reportId }
    await assertRoom(db, key, state)
    if (isDefault) await clearDefault(db, key)
    const { id } = await db
      .insertInto('report_views')
      .values({ ...key, name, state, is_default: isDefault, updated_at: new Date(context.clock()) })
      .returning('id')
      .executeTakeFirstOrThrow()
    return readOwn(db, context, id)
  })
}

/**
 * Changes a view of the caller.
 * @throws ProblemError not-found, invalid-input for another's name, limit-reached, rate-limited
 */
export function changeReportView(
  context: ReportViewContext,
  { id, change }: { id: string; change: BodyOf<typeof reportViewRoutes.changeReportView> },
): Promise<ReportView> {
  const { isDefault, ...values } = change
  return changeViews(context, async (db) => {
    const view = await findOwn(db, context, id)
    if (values.name !== undefined) await assertNameIsFree(db, view, values.name)
    if (values.state !== undefined) await assertRoom(db, view, values.state)
    if (isDefault) await clearDefault(db, view)
    await db
      .updateTable('report_views')
      .set({
        ...values,
        updated_at: new Date(context.clock()),
        ...(isDefault !== undefined && { is_default: isDefault }),
      })
      .where('id', '=', id)
      .execute()
    return readOwn(db, context, id)
  })
}

/**
 * Deletes a view of the caller, which can be undone, or removes a shared one from the caller's list.
 * @throws ProblemError not-found, rate-limited
 */
export function removeReportView(context: ReportViewContext, id: string): Promise<void> {
  const user_id = context.actor.profile.user_id
  return changeViews(context, async (db) => {
    const unlisted = await db
      .deleteFrom('opened_report_views')
      .where('user_id', '=', user_id)
      .where('view_id', '=', id)
      .executeTakeFirst()
    if (unlisted.numDeletedRows > 0n) return
    await findOwn(db, context, id)
    await db
      .updateTable('report_views')
      .set({ deleted_at: new Date(context.clock()) })
      .where('id', '=', id)
      .execute()
    await sql`delete from report_views where id in (
      select id from report_views where user_id = ${user_id} and deleted_at is not null
      order by deleted_at desc offset ${sql.lit(MAX_DELETED)})`.execute(db)
  })
}

/** Undoes a deletion by the caller. @throws ProblemError not-found, limit-reached, rate-limited */
export function restoreReportView(context: ReportViewContext, id: string): Promise<ReportView> {
  return changeViews(context, async (db) => {
    const view = await findOwn(db, context, id, true)
    await assertRoom(db, view, view.state)
    if (view.is_default) await clearDefault(db, view)
    await db.updateTable('report_views').set({ deleted_at: null }).where('id', '=', id).execute()
    return readOwn(db, context, id)
  })
}

/** Runs a change in a transaction, one at a time for a person, so that the limits hold. */
async function changeViews<T>(context: ReportViewContext, change: (db: Db) => Promise<T>): Promise<T> {
  const userId = context.actor.profile.user_id
  await context.consumeRateLimit(`report-views ${userId}`, WRITES)
  return context.db.transaction().execute(async (db) => {
    if (!(await lockProfile(db, userId))) throw new ProblemError('unauthenticated')
    return change(db)
  })
}

async function findOwn(db: Db, { actor }: Pick<Context, 'actor'>, id: string, isDeleted = false) {
  const view = await db
    .selectFrom('report_views')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', actor.profile.user_id)
    .where('deleted_at', isDeleted ? 'is not' : 'is', null)
    .executeTakeFirst()
  if (!view) throw createGoneError()
  return view
}

const readOwn = (
  db: Db,
  { actor, clock }: Pick<Context, 'actor' | 'clock'>,
  id: string,
): Promise<ReportView> =>
  selectViews({ db, clock }, actor.profile.user_id).where('v.id', '=', id).executeTakeFirstOrThrow()

interface ReportKey {
  user_id: string
  type: string
  report_id: string
}

/** Unmarks the view with which a person's report opens. */
async function clearDefault(db: Db, { user_id, type, report_id }: ReportKey): Promise<void> {
  await db
    .updateTable('report_views')
    .set({ is_default: false })
    .where('user_id', '=', user_id)
    .where('type', '=', type)
    .where('report_id', '=', report_id)
    .where('deleted_at', 'is', null)
    .execute()
}

/**
 * Checks that no other view of the person's report has the name: saving under it would replace either.
 * @throws ProblemError invalid-input
 */
async function assertNameIsFree(
  db: Db,
  { id, user_id, type, report_id }: ReportKey & { id: string },
  name: string,
): Promise<void> {
  const other = await db
    .selectFrom('report_views')
    .select('id')
    .where('user_id', '=', user_id)
    .where('type', '=', type)
    .where('report_id', '=', report_id)
    .where('deleted_at', 'is', null)
    .where('id', '<>', id)
    .where(sql<boolean>`fold_text(name) = fold_text(${name})`)
    .executeTakeFirst()
  if (other) throw toFieldError('name', reportViewMessages.nameTaken)
}

/**
 * Checks that a view fits beside the person's other ones.
 * @param id the view itself, if it exists
 * @throws ProblemError limit-reached
 */
async function assertRoom(
  db: Db,
  { user_id, type, report_id, id = null }: ReportKey & { id?: string | null },
  state: string,
): Promise<void> {
  const { rows } = await sql<{ count: number; length: number }>`
    select (count(*) filter (where (type, report_id) = (${type}, ${report_id})))::int as count,
      coalesce(sum(octet_length(state)), 0)::int as length
    from report_views
    where user_id = ${user_id} and deleted_at is null and id is distinct from ${id}::uuid`.execute(db)
  const { count = 0, length = 0 } = rows[0] ?? {}
  if (count >= MAX_VIEWS) throw new ProblemError('limit-reached', { detail: reportViewMessages.tooMany })
  if (length + state.length > MAX_STATES_LENGTH)
    throw new ProblemError('limit-reached', { detail: reportViewMessages.noRoom })
}

const createGoneError = () => new ProblemError('not-found', { detail: reportViewMessages.gone })

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Insertable, type Selectable, sql } from 'kysely'
import { isRecentlyAuthenticated } from '#contract/access.ts'
import { listSpellings } from '#contract/entitlement-lists.ts'
import {
  findNoticeFault,
  LINK,
  MAX_NOTICES,
  type Notice,
  type NoticeForm,
  noticeMessages,
  SEVERITIES,
  type ShownNotice,
} from '#contract/notices.ts'
import type { Undoable } from '#contract/undo.ts'
import { createCache } from '#server/cache.ts'
import { lockCatalogue, rejectUnknownItems } from '#server/catalogue/catalogue.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import { type ChangeToUndo, createChangedSinceError, recordAudit } from '#server/operations/audit.ts'

type Row = Selectable<Tables['notices']>

/** Visitors read the database once within it. */
const PUBLIC_TTL_MS = 2_000

/** Creates the reader of what stands at /login, which reads on while the database is away. */
export function createPublicNotices({ db, clock }: Pick<Context, 'db' | 'clock'>) {
  const cache = createCache<Row[]>(clock, {
    max: 1,
    ttl: PUBLIC_TTL_MS,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: () => selectPublished(db).where('on_login', '=', true).execute(),
  })
  return async (): Promise<ShownNotice[]> => present((await cache.fetch('')) ?? [], clock())
}

function selectPublished(db: Db) {
  return db.selectFrom('notices').selectAll().where('is_draft', '=', false).where('deleted_at', 'is', null)
}

const isActive = ({ starts_at, ends_at }: Row, now: number) =>
  starts_at !== null && +starts_at <= now && (ends_at === null || +ends_at > now)

/** Returns the active ones, the most severe and newest first. */
function present(rows: readonly Row[], now: number): ShownNotice[] {
  const rank = ({ severity }: Row) => SEVERITIES.indexOf(severity)
  return rows
    .filter((row) => isActive(row, now))
    .sort((a, b) => rank(a) - rank(b) || Number(b.starts_at) - Number(a.starts_at))
    .map(({ id, severity, text }) => ({ id, severity, text }))
}

export async function listOwnNotices({ db, clock, actor }: Context): Promise<ShownNotice[]> {
  const { user_id, types } = actor.profile
  const rows = await selectPublished(db)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('closed_notices')
            .select('notice_id')
            .whereRef('notice_id', '=', 'notices.id')
            .where('user_id', '=', user_id),
        ),
      ),
    )
    .execute()
  const concerns = (row: Row) => {
    // Anybody may sign up: before approval there is only what visitors read too.
    if (!actor.approved) return row.on_login
    return row.types?.flatMap(listSpellings).some((type) => types.includes(type)) ?? true
  }
  return present(rows.filter(concerns), clock())
}

export async function closeNotice({ db, clock, actor }: Context, id: string): Promise<void> {
  const { user_id } = actor.profile
  // Nothing for a notice or a person that was deleted meanwhile.
  await sql`insert into closed_notices (user_id, notice_id, closed_at)
    select p.user_id, n.id, ${new Date(clock())} from notices n, profiles p
    where n.id = ${id} and p.user_id = ${user_id} for key share
    on conflict do nothing`.execute(db)
}

export async function listNotices({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<Notice[]> {
  const rows = await db
    .selectFrom('notices')
    .selectAll()
    .select(sql<number>`(select count(*)::int from closed_notices where notice_id = id)`.as('closed'))
    .where('deleted_at', 'is', null)
    .orderBy(sql`coalesce(starts_at, updated_at)`, 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => toNotice(row, clock(), row.closed))
}

function toNotice({ starts_at, ends_at, ...row }: Row, now: number, closed: number): Notice {
  const times = { starts_at: starts_at?.toISOString() ?? null, ends_at: ends_at?.toISOString() ?? null }
  const isOver = ends_at !== null && +ends_at <= now
  const published = isOver ? 'ended' : Number(starts_at) > now ? 'scheduled' : 'active'
  return { ...row, ...times, closed, state: row.is_draft ? 'draft' : published }
}

/** Serializes changes of notices, and excludes renames of areas meanwhile. */
function changeNotices<T>(context: Context, change: (db: Db) => Promise<T>): Promise<T> {
  return runIdempotent(context, async (db) => {
    await lockNotices(db)
    return change(db)
  })
}

async function lockNotices(db: Db): Promise<void> {
  await lockCatalogue(db)
  await sql`lock table notices in share row exclusive mode`.execute(db)
}

/** @throws ProblemError invalid-input, limit-reached, reauthentication-needed (see needsRecentPassword) */
export function addNotice(context: Context, form: NoticeForm): Promise<Notice> {
  return changeNotices(context, async (db) => {
    await assertRoom(db)
    const values = await toColumns({ ...context, db }, form, undefined)
    const row = await db.insertInto('notices').values(values).returningAll().executeTakeFirstOrThrow()
    await recordAudit({ ...context, db }, { action: 'notice-added', after: toAudited(row) })
    return toNotice(row, context.clock(), 0)
  })
}

/** @throws ProblemError as addNotice, and not-found, conflict with a stale ifMatch */
export function changeNotice(
  context: Context,
  wanted: { id: string; ifMatch: string | undefined; change: NoticeForm | { ended: true } },
): Promise<Notice & Undoable> {
  const { id, ifMatch, change } = wanted
  return changeNotices(context, async (db) => {
    const before = await findNotice(db, id)
    if (ifMatch !== undefined && ifMatch !== String(before.version))
      throw new ProblemError('conflict', { detail: noticeMessages.changedMeanwhile })
    const now = new Date(context.clock())
    const values =
      'ended' in change
        ? { ends_at: before.ends_at && before.ends_at < now ? before.ends_at : now }
        : await toColumns({ ...context, db }, change, before)
    const undoId = randomUUID()
    const ended = 'ended' in change
    await writeNotice({ ...context, db }, before, values, { batchId: undoId, ended })
    const all = await listNotices({ ...context, db })
    return { ...(all.find((notice) => notice.id === id) as Notice), undoId }
  })
}

async function writeNotice(
  context: Context,
  before: Row,
  values: Partial<Insertable<Tables['notices']>>,
  { batchId, ended = false }: { batchId: string; ended?: boolean },
): Promise<void> {
  const { db } = context
  const after = await db
    .updateTable('notices')
    .set({ ...values, updated_at: new Date(context.clock()), version: before.version + 1 })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  // What they closed said something else.
  if (after.text !== before.text || after.severity !== before.severity)
    await db.deleteFrom('closed_notices').where('notice_id', '=', before.id).execute()
  const entry = { before: toAudited(before), after: { ...toAudited(after), ...(ended && { ended }) } }
  await recordAudit(context, { action: 'notice-changed', ...entry, batchId })
}

/** @throws ProblemError not-found */
export function removeNotice(context: Context, id: string): Promise<Undoable> {
  return changeNotices(context, async (db) => {
    const before = await findNotice(db, id)
    await setDeletedAt(db, id, new Date(context.clock()))
    const undoId = randomUUID()
    const entry = { before: toAudited(before), batchId: undoId }
    await recordAudit({ ...context, db }, { action: 'notice-removed', ...entry })
    return { undoId }
  })
}

/**
 * Undoes a removal or a change.
 * @throws ProblemError conflict if it was changed since, limit-reached, reauthentication-needed
 */
export async function undoNoticeChange(
  context: Context,
  { before, after, batchId }: ChangeToUndo,
): Promise<void> {
  const { db } = context
  await lockNotices(db)
  const { ended: _, ...state } = { ...(after ?? before) }
  const rows = await db
    .selectFrom('notices')
    .selectAll()
    .where('deleted_at', after ? 'is' : 'is not', null)
    .orderBy('updated_at', 'desc')
    .execute()
  const found = rows.find((row) => isDeepStrictEqual(JSON.parse(JSON.stringify(toAudited(row))), state))
  if (!found) throw createChangedSinceError()
  const { areas, ...former } = before as unknown as ReturnType<typeof toAudited>
  if (needsRecentPassword(former)) assertRecentPassword(context)
  if (after) {
    await writeNotice(context, found, { ...former, types: areas }, { batchId })
    return
  }
  await assertRoom(db)
  await setDeletedAt(db, found.id, null)
  await recordAudit(context, { action: 'notice-added', after: toAudited(found), batchId })
}

async function findNotice(db: Db, id: string, isRemoved = false): Promise<Row> {
  const row = await db
    .selectFrom('notices')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', isRemoved ? 'is not' : 'is', null)
    .executeTakeFirst()
  if (!row) throw new ProblemError('not-found', { detail: noticeMessages.gone })
  return row
}

async function setDeletedAt(db: Db, id: string, deleted_at: Date | null): Promise<void> {
  await db.updateTable('notices').set({ deleted_at }).where('id', '=', id).execute()
}

async function assertRoom(db: Db): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from notices where deleted_at is null`.execute(db)
  if ((rows[0]?.count ?? 0) >= MAX_NOTICES)
    throw new ProblemError('limit-reached', { detail: noticeMessages.tooMany })
}

/** What stands at /login reaches everybody, and a link leads people away from the portal. */
function needsRecentPassword({ on_login, text }: Pick<NoticeForm, 'on_login' | 'text'>): boolean {
  return on_login || LINK.test(text)
}

function assertRecentPassword({ actor }: Context): void {
  if (!isRecentlyAuthenticated(actor, 'many')) throw new ProblemError('reauthentication-needed')
}

async function toColumns(context: Context, form: NoticeForm, before: Row | undefined) {
  const fault = findNoticeFault(form)
  if (fault) throw toFieldError(fault.path, fault.message)
  const held = { types: before?.types ?? [] }
  rejectUnknownItems(await lockCatalogue(context.db), { types: form.types ?? [] }, held)
  const now = new Date(context.clock())
  const { starts_at, ends_at, is_draft } = form
  if (!is_draft && ends_at && new Date(ends_at) <= now && ends_at !== before?.ends_at?.toISOString())
    throw toFieldError('ends_at', noticeMessages.endPassed)
  if (needsRecentPassword(form)) assertRecentPassword(context)
  return {
    ...form,
    starts_at: starts_at ? new Date(starts_at) : is_draft ? null : now,
    ends_at: ends_at ? new Date(ends_at) : null,
    updated_at: now,
  }
}

const toAudited = ({ text, severity, types, starts_at, ends_at, on_login, is_draft }: Row) => ({
  text,
  severity,
  areas: types,
  starts_at,
  ends_at,
  on_login,
  is_draft,
})

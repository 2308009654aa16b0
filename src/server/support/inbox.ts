import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { BodyOf, QueryOf, ReplyOf } from '#contract/route.ts'
import { MAX_MARKED, type SupportMessage, type supportRoutes } from '#contract/support.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { cursorInstantSchema, decodeCursor, encodeCursor, formatCursorInstant } from '#server/http/cursor.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { holdsWord } from '#server/users/user-queries.ts'

type ListRoute = typeof supportRoutes.listSupportMessages
type MarkAllRoute = typeof supportRoutes.markAllMessagesRead
type Wanted = BodyOf<typeof supportRoutes.markMessageRead>

const PAGE = 50
const COLUMNS = [
  'id',
  'name',
  'email',
  'phone',
  'message',
  'is_read',
  'created_at',
  'handled_at',
  'answered',
] as const
/** Keyset of the last message of a page, by instant and id, descending. */
const cursorSchema = z.tuple([cursorInstantSchema, z.uuid()])

/** Lists a page of messages, newest first. @throws ProblemError invalid-input for an invalid cursor */
export async function listMessages(db: Db, query: QueryOf<ListRoute>): Promise<ReplyOf<ListRoute>> {
  const { cursor, limit = PAGE } = query
  const after = cursor === undefined ? undefined : decodeCursor(cursor, cursorSchema)
  const messages = query.suspect
    ? db.selectFrom('suspect_messages as support_messages')
    : db.selectFrom('support_messages')
  const matching = filterMessages(messages, query)
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await selectMessages(matching)
    .select(formatCursorInstant('created_at').as('exact_at'))
    .$if(after !== undefined, (page) =>
      page.where(sql<boolean>`(created_at, id) < (${after?.[0]}::timestamptz, ${after?.[1]}::uuid)`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    // Reads one more row to know whether there is a next page.
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : undefined
  return {
    items: items.map((row) => ({ ...presentMessage(row), ...(query.suspect && { is_suspect: true }) })),
    total,
    next: last ? encodeCursor([last.exact_at, last.id]) : null,
  }
}

/** Requires every word of `q` in the message, ignoring case and accents. */
function filterMessages<O>(
  messages: SelectQueryBuilder<Tables, 'support_messages', O>,
  { q = '', unread }: Pick<QueryOf<ListRoute>, 'q' | 'unread'>,
): SelectQueryBuilder<Tables, 'support_messages', O> {
  const words = q.split(/\s+/).filter(Boolean)
  const filtered = unread === undefined ? messages : messages.where('is_read', '=', unread === 'false')
  return words.reduce((matching, word) => matching.where(holdsWord(sql`search_text`, word)), filtered)
}

export function countUnreadMessages(db: Db): Promise<{ count: number }> {
  return db
    .selectFrom('support_messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('is_read', '=', false)
    .executeTakeFirstOrThrow()
}

/**
 * Marks a message as read or unread, without effect or audit entry when it already is, or accepts a
 * suspect one. An answer always replaces the handler.
 * @throws ProblemError not-found when it has been deleted
 */
export function markMessage(context: Context, id: string, wanted: Wanted): Promise<SupportMessage> {
  if ('is_suspect' in wanted) return acceptMessage(context, id)
  const { is_read } = wanted
  const isAnswer = 'answered' in wanted
  return runAdminTransaction(context, async (db) => {
    const before = await db
      .selectFrom('support_messages')
      .select('is_read')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!before) throw createMessageGoneError()
    if (isAnswer || before.is_read !== is_read) {
      await db
        .updateTable('support_messages')
        .set({ is_read, ...buildHandling(context, is_read), ...(isAnswer && buildAnswer(context)) })
        .where('id', '=', id)
        .execute()
      const action = isAnswer ? 'message-answered' : is_read ? 'message-read' : 'message-unread'
      await recordAudit({ ...context, db }, { action, before: { id, ...before }, after: { id, is_read } })
    }
    const rows = db.selectFrom('support_messages').where('id', '=', id)
    return presentMessage(await selectMessages(rows).executeTakeFirstOrThrow())
  })
}

/** Moves a suspect message to the others, unread; without effect when it already is there. */
function acceptMessage(context: Context, id: string): Promise<SupportMessage> {
  return runAdminTransaction(context, async (db) => {
    const suspect = await db
      .deleteFrom('suspect_messages')
      .where('id', '=', id)
      .returning(['id', 'name', 'email', 'phone', 'message', 'created_at'])
      .executeTakeFirst()
    if (suspect) {
      await db.insertInto('support_messages').values(suspect).execute()
      await recordAudit({ ...context, db }, { action: 'message-accepted', after: { id } })
    }
    const rows = db.selectFrom('support_messages').where('id', '=', id)
    const accepted = await selectMessages(rows).executeTakeFirst()
    if (!accepted) throw createMessageGoneError()
    return presentMessage(accepted)
  })
}

/** Keeps the handler of an answer; the handler of a mark is cleared by unmarking. */
function buildHandling(context: Context, isRead: boolean) {
  const { handled_by, handled_at } = buildAnswer(context)
  const keepAnswer = (column: 'handled_by' | 'handled_at', value: string | Date) =>
    sql<null>`case when answered then ${sql.ref(column)} else ${isRead ? value : null} end`
  return {
    handled_by: keepAnswer('handled_by', handled_by),
    handled_at: keepAnswer('handled_at', handled_at),
  }
}

function buildAnswer({ actor, clock }: Context) {
  return { handled_by: actor.profile.user_id, handled_at: new Date(clock()), answered: true }
}

/**
 * Marks all messages (or matches of `q`) as read, or those of `ids` as unread, and audits the count.
 * @returns ids: empty above MAX_MARKED
 */
export function markMessages(context: Context, wanted: BodyOf<MarkAllRoute>): Promise<ReplyOf<MarkAllRoute>> {
  const { is_read } = wanted
  return runAdminTransaction(context, async (db) => {
    const differing = filterMessages(db.selectFrom('support_messages'), {
      unread: is_read ? 'true' : 'false',
      ...(is_read && wanted.q && { q: wanted.q }),
    }).select('id')
    const changed = await db
      .updateTable('support_messages')
      .set({ is_read, ...buildHandling(context, is_read) })
      .where('id', 'in', is_read ? differing : differing.where(sql<boolean>`id = any(${wanted.ids}::uuid[])`))
      .returning('id')
      .execute()
    const marked = changed.length
    if (marked > 0) {
      const action = is_read ? 'messages-read' : 'messages-unread'
      await recordAudit({ ...context, db }, { action, after: { count: marked } })
    }
    return { marked, ids: marked > MAX_MARKED ? [] : changed.map(({ id }) => id) }
  })
}

/** @throws ProblemError not-found when it is already deleted */
export function deleteMessage(context: Context, id: string): Promise<void> {
  return runAdminTransaction(context, async (db) => {
    const deleteFrom = (table: 'support_messages' | 'suspect_messages') =>
      db.deleteFrom(table).where('id', '=', id).returning('is_read').executeTakeFirst()
    const deleted = (await deleteFrom('support_messages')) ?? (await deleteFrom('suspect_messages'))
    if (!deleted) throw createMessageGoneError()
    const before = { id, is_read: deleted.is_read }
    await recordAudit({ ...context, db }, { action: 'message-deleted', before })
  })
}

function selectMessages<O>(messages: SelectQueryBuilder<Tables, 'support_messages', O>) {
  return messages
    .select(COLUMNS)
    .select([
      sql<string | null>`(select coalesce(full_name, email) from profiles where user_id = handled_by)`.as(
        'handler',
      ),
      sql<string | null>`(select user_id from profiles p where p.email = lower(support_messages.email))`.as(
        'account',
      ),
    ])
}

type MessageRow = Pick<Selectable<Tables['support_messages']>, (typeof COLUMNS)[number]> & {
  handler: string | null
  account: string | null
}

function presentMessage(message: MessageRow): SupportMessage {
  const { created_at, handler, handled_at, answered, account, ...row } = message
  const handled = handled_at && { by: handler, at: handled_at.toISOString(), answered }
  return { ...row, created_at: created_at.toISOString(), handled, ...(account && { account }) }
}

function createMessageGoneError(): ProblemError {
  return new ProblemError('not-found', { detail: 'Esta mensagem não existe mais.' })
}

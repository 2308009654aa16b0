import { type SelectQueryBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { QueryOf, ReplyOf } from '#contract/route.ts'
import type { supportRoutes } from '#contract/support.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import { cursorInstantSchema, readCursor, writeCursor } from '#server/http/cursor.ts'
import { MESSAGE_COLUMNS, presentMessage } from './present-message.ts'

type Route = typeof supportRoutes.listSupportMessages
type Filter = Pick<QueryOf<Route>, 'q' | 'unread'>

const PAGE = 50
/** The last message of a page: those that follow are older, or as old with a smaller id. */
const cursorSchema = z.tuple([cursorInstantSchema, z.uuid()])

/**
 * One page of messages, newest first.
 * @throws ProblemError invalid-input for a cursor of another make
 */
export async function listMessages(db: Db, query: QueryOf<Route>): Promise<ReplyOf<Route>> {
  const { cursor, limit = PAGE } = query
  const after = cursor === undefined ? undefined : readCursor(cursor, cursorSchema)
  const matching = filterMessages(db.selectFrom('support_messages'), query)
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching
    .select(MESSAGE_COLUMNS)
    .select(
      sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as('exact_at'),
    )
    .$if(after !== undefined, (page) =>
      page.where(sql<boolean>`(created_at, id) < (${after?.[0]}::timestamptz, ${after?.[1]}::uuid)`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const hasMore = rows.length > limit
  return {
    items: items.map(presentMessage),
    total,
    next: hasMore && last ? writeCursor([last.exact_at, last.id]) : null,
  }
}

/** Every word of `q` must be somewhere in the message, case and accents aside. */
function filterMessages<O>(
  messages: SelectQueryBuilder<Tables, 'support_messages', O>,
  { q = '', unread }: Filter,
): SelectQueryBuilder<Tables, 'support_messages', O> {
  const words = q.split(/\s+/).filter(Boolean)
  const filtered = unread === undefined ? messages : messages.where('is_read', '=', unread === 'false')
  return words.reduce(
    // strpos, so that % and _ stand for themselves.
    (matching, word) => matching.where(sql<boolean>`strpos(search_text, fold_text(${word}::text)) > 0`),
    filtered,
  )
}

import type { HistoryEntry } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import { findProfile, unknownPerson } from './user-queries.ts'

const PAGE = 50

/**
 * What was changed about a person, newest first, fifty at a time.
 * @param wanted.cursor the id that the page before ended with
 * @throws ProblemError not-found
 */
export async function readHistory(
  db: Db,
  { userId, cursor }: { userId: string; cursor?: string | undefined },
): Promise<{ items: HistoryEntry[]; next: string | null }> {
  if (!(await findProfile(db, userId))) throw unknownPerson()
  const rows = await db
    .selectFrom('audit_entries')
    .select(['id', 'at', 'actor_email', 'action', 'before', 'after'])
    .where('target_id', '=', userId)
    .$if(cursor !== undefined, (query) => query.where('id', '<', Number(cursor)))
    .orderBy('id', 'desc')
    // One more tells whether there is a next page.
    .limit(PAGE + 1)
    .execute()
  const items = rows.slice(0, PAGE).map((row) => ({
    ...row,
    at: row.at.toISOString(),
    before: row.before as HistoryEntry['before'],
    after: row.after as HistoryEntry['after'],
  }))
  return { items, next: rows.length > PAGE ? String(items.at(-1)?.id) : null }
}

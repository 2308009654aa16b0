import { sql } from 'kysely'
import { SESSION_IDLE_MS } from '#server/accounts/sessions.ts'
import type { Db } from '#server/database/schema.ts'

/**
 * Which of these sessions live and belong to somebody who is an administrator right now; the same rules as the
 * check of every request.
 * @param now ms since the epoch
 */
export async function findAdminSessions(db: Db, sessionIds: string[], now: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('user_roles', 'user_roles.user_id', 'sessions.user_id')
    .select('sessions.id')
    .where(sql<boolean>`sessions.id = any(${sessionIds}::uuid[])`)
    .where('sessions.kind', '=', 'full')
    .where('sessions.refreshed_at', '>', new Date(now - SESSION_IDLE_MS))
    .where('user_roles.role', '=', 'admin')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

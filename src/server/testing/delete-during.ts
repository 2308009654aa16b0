import { sql } from 'kysely'
import type { DatabaseKind } from './test-database.ts'
import type { TestPortal } from './test-portal.ts'
import { waitFor } from './wait-for.ts'

/**
 * Deletes a person in a transaction that commits once a call waits for it. The embedded database has
 * no concurrent transactions: there the call is read after the deletion.
 */
export async function deleteDuring<T>(
  { database: { db } }: Pick<TestPortal, 'database'>,
  { kind, userId, call }: { kind: DatabaseKind; userId: string; call: () => Promise<T> },
): Promise<T> {
  const { reply } = await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('profiles').where('user_id', '=', userId).execute()
    const reply = call()
    if (kind === 'server')
      await waitFor(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        if (rows.length === 0) throw new Error('nothing waits')
      })
    return { reply }
  })
  return reply
}

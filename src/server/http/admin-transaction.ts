import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import type { Actor, Context } from './context.ts'
import { ProblemError } from './problem-error.ts'

const DEADLOCK = '40P01'

/**
 * Runs an administrator's write in one transaction that locks and rereads session and role first:
 * nothing is committed after a demotion or deletion. Retries once after a deadlock.
 * @param lockRoles takes stronger locks first, because upgrading a shared lock deadlocks
 * @throws ProblemError unauthenticated, forbidden
 */
export async function runAdminTransaction<T>(
  { db, actor }: Context,
  write: (db: Db) => Promise<T>,
  lockRoles?: (db: Db) => Promise<unknown>,
): Promise<T> {
  const run = () =>
    db.transaction().execute(async (transaction) => {
      await lockRoles?.(transaction)
      await assertStillAdmin(transaction, actor)
      return write(transaction)
    })
  try {
    return await run()
  } catch (error) {
    if ((error as { code?: unknown }).code !== DEADLOCK) throw error
    return run()
  }
}

async function assertStillAdmin(db: Db, { sessionId }: Actor): Promise<void> {
  const { rows } = await sql`
    select from sessions s join user_roles r on r.user_id = s.user_id
    where s.id = ${sessionId} and r.role = 'admin'
    for key share of s for share of r`.execute(db)
  if (rows.length > 0) return
  const session = await db.selectFrom('sessions').select('id').where('id', '=', sessionId).executeTakeFirst()
  throw new ProblemError(session ? 'forbidden' : 'unauthenticated')
}

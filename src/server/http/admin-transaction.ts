import { sql } from 'kysely'
import { isRecentlyAuthenticated } from '#contract/access.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, Context } from './context.ts'
import { ProblemError } from './problem-error.ts'

const DEADLOCK = '40P01'

/**
 * Runs an administrator's write in one transaction that locks and rereads session and role first:
 * nothing is committed after a demotion or deletion. Retries once after a deadlock.
 * @param lockRoles takes stronger locks first, because upgrading a shared lock deadlocks
 * @throws ProblemError unauthenticated, forbidden; reauthentication-needed for many people in ten
 *   minutes when the last password is hours ago
 */
export async function runAdminTransaction<T>(
  context: Context,
  write: (db: Db) => Promise<T>,
  lockRoles?: (db: Db) => Promise<unknown>,
): Promise<T> {
  const run = () =>
    context.db.transaction().execute(async (db) => {
      await lockRoles?.(db)
      await assertStillAdmin(db, context.actor)
      const result = await write(db)
      await limitStaleChanges({ ...context, db })
      return result
    })
  try {
    return await run()
  } catch (error) {
    if ((error as { code?: unknown }).code !== DEADLOCK) throw error
    return run()
  }
}

/** Rereads session and role. @throws ProblemError unauthenticated, forbidden */
export async function assertStillAdmin(db: Db, { sessionId }: Actor): Promise<void> {
  const { rows } = await sql`
    select from sessions s join user_roles r on r.user_id = s.user_id
    where s.id = ${sessionId} and r.role = 'admin'
    for key share of s for share of r`.execute(db)
  if (rows.length > 0) return
  const session = await db.selectFrom('sessions').select('id').where('id', '=', sessionId).executeTakeFirst()
  throw new ProblemError(session ? 'forbidden' : 'unauthenticated')
}

/** People whom an administrator may change within ten minutes without a recent authentication. */
export const MAX_PEOPLE_CHANGED = 20

/**
 * Counts the people changed by an administrator by their entries in the trail, so that no route is
 * left out, nor a replica of 0.2. Requests that change nobody pass.
 */
async function limitStaleChanges({ db, clock, actor, request }: Context): Promise<void> {
  if (isRecentlyAuthenticated(actor, 'many')) return
  const actorId = actor.profile.user_id
  // Until the commit, so that requests at the same time count each other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${actorId}, 0))`.execute(db)
  const { rows } = await sql<{ people: number; changes: boolean | null }>`
    select count(distinct coalesce(target_id::text, after ->> 'email', before ->> 'email'))::int as people,
      bool_or(request_id = ${request.requestId}) as changes
    from audit_entries
    where actor_id = ${actorId} and at > ${new Date(clock() - 10 * 60_000)}
      and (target_id <> actor_id or action like 'invitation-%')
      and action not in ('viewed-as', 'data-exported')`.execute(db)
  if (rows[0]?.changes && rows[0].people > MAX_PEOPLE_CHANGED)
    throw new ProblemError('reauthentication-needed')
}

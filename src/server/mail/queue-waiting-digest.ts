import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { queueDigest } from './queue-digest.ts'

/**
 * Has every administrator mailed that somebody waits for approval; call it in the transaction that makes them wait.
 * @param waitingId who waits; nothing is queued for null or for somebody who is approved
 */
export function queueWaitingDigest(db: Db, waitingId: string | null): Promise<void> {
  return queueDigest(
    db,
    'waiting-digest',
    sql`exists (select 1 from profiles w where w.user_id = ${waitingId}::uuid and not w.approved)`,
  )
}

import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { PREPARE_MAIL } from './mail-kinds.ts'
import type { QueuedMail } from './prepare-mail.ts'

/** How long a taken row is left alone: longer than sending can last, so that only a crash lets it run out. */
const CLAIM_SECONDS = 60
const FIRST_RETRY_SECONDS = 10
const LONGEST_RETRY_SECONDS = 600

/** Times are the database's own: replicas' clocks differ. */
const now = sql<Date>`now()`
const inSeconds = (seconds: number) => sql<Date>`now() + ${seconds}::int * interval '1 second'`

/** Takes the row that has been due longest, passing over those that another replica is taking. */
export function claimMail(db: Db): Promise<QueuedMail | undefined> {
  return db
    .updateTable('mail_outbox')
    .set((row) => ({ attempts: row('attempts', '+', 1), due_at: inSeconds(CLAIM_SECONDS) }))
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('mail_outbox')
        .select('id')
        .where('sent_at', 'is', null)
        .where('due_at', '<=', now)
        // While a new version is rolled out, its kinds are left to it.
        .where('kind', 'in', Object.keys(PREPARE_MAIL))
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'kind', 'recipient', 'created_at', 'attempts'])
    .executeTakeFirst()
}

export async function markSent(db: Db, id: string): Promise<void> {
  await db.updateTable('mail_outbox').set({ sent_at: now }).where('id', '=', id).execute()
}

/** Puts a row off after a failure: 10 s, doubling to 10 min. */
export async function postpone(db: Db, { id, attempts }: QueuedMail): Promise<number> {
  const seconds = Math.min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (attempts - 1))
  await db
    .updateTable('mail_outbox')
    .set({ due_at: inSeconds(seconds) })
    .where('id', '=', id)
    .execute()
  return seconds
}

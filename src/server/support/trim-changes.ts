import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'

const KEEP_MINUTES = 60
const TRIM_EVERY_MS = 10 * 60_000

/** Makes the function that, now and then, removes changes that every process has read long ago. */
export function trimNowAndThen(db: Db, log: Log): () => void {
  let trimmedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() < trimmedAt + TRIM_EVERY_MS) return
    trimmedAt = performance.now()
    trim(db).catch((error) => log.warn({ err: error }, 'old message changes not removed'))
  }
}

async function trim(db: Db): Promise<void> {
  await sql`delete from support_message_changes
    where at < now() - ${sql.lit(KEEP_MINUTES)} * interval '1 minute'`.execute(db)
}

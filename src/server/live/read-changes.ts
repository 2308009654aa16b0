import { sql } from 'kysely'
import { type Database, prepare } from '#server/database/database.ts'

/** Well before unread rows may be trimmed. */
const STALE_AFTER_MS = 30 * 60_000
const KEEP_MINUTES = 60

/** A row of `changes`: the id of a message, person or session; null for many or all of them. */
interface Change {
  kind: 'message' | 'person' | 'session' | 'settings'
  subject: string | null
}

/**
 * Ids are assigned before transactions commit, in any order, so only changes below the oldest running
 * transaction are complete. Reads both from one snapshot.
 */
const READ_CHANGES = prepare(`
  select watermark::text, coalesce((
    select json_agg(json_build_object('id', id, 'kind', kind,
      'subject', nullif(subject_id, '00000000-0000-0000-0000-000000000000')))
    from changes where xid >= coalesce($1::xid8, watermark)), '[]')::text as changes
  from (select pg_snapshot_xmin(pg_current_snapshot()) as watermark) as snapshot`)

/**
 * Creates a reader of the changes since its last read, by any replica, each exactly once.
 * @returns undefined where some may have been missed, so at first
 */
export function createChangeReader(database: Database): () => Promise<Change[] | undefined> {
  /** All transactions below the watermark have ended and been read; the others as far as seen. */
  let position: { watermark: bigint; seen: ReadonlySet<number>; at: number } | undefined
  return async () => {
    const before = position
    const [row] = await database.runPrepared<{ watermark: string; changes: string }>(READ_CHANGES, [
      before?.watermark.toString() ?? null,
    ])
    if (!row) throw new Error('the database gave no snapshot')
    const watermark = BigInt(row.watermark)
    const changes = JSON.parse(row.changes) as (Change & { id: number })[]
    position = { watermark, seen: new Set(changes.map(({ id }) => id)), at: performance.now() }
    // A watermark that went backwards is that of another database.
    const isComplete = before && watermark >= before.watermark && position.at < before.at + STALE_AFTER_MS
    return isComplete ? changes.filter(({ id }) => !before.seen.has(id)) : undefined
  }
}

/** Deletes changes that every process has read long ago. */
export async function trimChanges({ db }: Database): Promise<void> {
  await sql`delete from changes
    where at < now() - ${sql.lit(KEEP_MINUTES)} * interval '1 minute'`.execute(db)
}

import { sql } from 'kysely'
import type { MessageChange } from '#contract/support.ts'
import { coalesce } from '#contract/timing.ts'
import { type Database, prepare } from '#server/database/database.ts'
import { type Log, logFirstFailure } from '#server/log.ts'

/** Changes within it are coalesced into one event. */
const COALESCE_MS = 20
/** Polls because a pooler in front of the database swallows notifications. */
const POLL_MS = 2_000
const MAX_IDS = 200
const KEEP_MINUTES = 60
const TRIM_EVERY_MS = 10 * 60_000
/** Well before unread rows may be trimmed. */
const STALE_AFTER_MS = 30 * 60_000

interface FollowOptions {
  database: Database
  log: Log
  /** @param id of the newest change in the event */
  onChange: (change: MessageChange, id: number) => void
  /** Whether to poll. */
  isWatched: () => boolean
}

export type Follower = ReturnType<typeof createFollower>

/** Creates a reader of all changes to messages and people, on any replica, each exactly once. */
export function createFollower(options: FollowOptions) {
  let following: Promise<() => Promise<void>> | undefined
  return {
    /** Resolves once subscribed. @throws what the database throws */
    async start(): Promise<void> {
      following ??= follow(options).catch((error) => {
        following = undefined
        throw error
      })
      await following
    },
    async stop(): Promise<void> {
      const stopFollowing = await following?.catch(() => undefined)
      await stopFollowing?.()
    },
  }
}

/** @returns unsubscribes */
async function follow({ database, log, onChange, isWatched }: FollowOptions): Promise<() => Promise<void>> {
  let { position } = await readChanges(database)
  let readAt = performance.now()
  let newest = 0
  let trimmedAt = Number.NEGATIVE_INFINITY

  async function readNew() {
    const found = await readChanges(database, position)
    // The watermark went backwards: it is another database.
    const isReplaced = found.position.watermark < position.watermark
    const isOutdated = performance.now() - readAt > STALE_AFTER_MS
    position = found.position
    readAt = performance.now()
    newest = Math.max(newest, found.newest)
    const { ids, people, isTooMany } = found
    if (isReplaced || isOutdated || isTooMany) onChange({ kind: 'stale' }, newest)
    else if (ids.length + people.length > 0) onChange({ kind: 'changed', ids, people }, newest)
  }

  const reading = coalesce(logFirstFailure(log, 'message changes not read', readNew), COALESCE_MS)
  const stopListening = database.listen('changes', reading.wake)
  const poll = setInterval(() => {
    if (!isWatched()) return
    reading.wake()
    if (performance.now() < trimmedAt + TRIM_EVERY_MS) return
    trimmedAt = performance.now()
    trimChanges(database).catch((error) => log.warn({ err: error }, 'old message changes not removed'))
  }, POLL_MS)
  return async () => {
    clearInterval(poll)
    await stopListening()
    await reading.stop()
  }
}

/** The read position of a process. */
interface Position {
  /** All transactions below it have ended and been read. */
  watermark: bigint
  /** Changes already read above the watermark. */
  seen: ReadonlySet<number>
}

interface ReadChanges {
  position: Position
  /** The changed messages and people. */
  ids: string[]
  people: string[]
  /** Whether the ids are incomplete. */
  isTooMany: boolean
  /** The newest change id; 0 without changes. */
  newest: number
}

/**
 * Ids are assigned before transactions commit, in any order, so only changes below the oldest running
 * transaction are complete. Reads both from one snapshot.
 */
const READ_CHANGES = prepare(`
  select watermark::text, coalesce((
    select json_agg(json_build_array(id, kind, subject_id, xid::text) order by id)
    from changes where xid >= coalesce($1::xid8, watermark)), '[]')::text as changes
  from (select pg_snapshot_xmin(pg_current_snapshot()) as watermark) as snapshot`)

/** Reads the changes after a position; without one, only returns the current position. */
async function readChanges(database: Database, from?: Position): Promise<ReadChanges> {
  const [row] = await database.runPrepared<{ watermark: string; changes: string }>(READ_CHANGES, [
    from?.watermark.toString() ?? null,
  ])
  if (!row) throw new Error('the database gave no snapshot')
  const changes = JSON.parse(row.changes) as [
    id: number,
    kind: string,
    subjectId: string | null,
    xid: string,
  ][]
  const watermark = BigInt(row.watermark)
  const fresh = changes.filter(([id]) => !from?.seen.has(id))
  const listIds = (wanted: string) => [
    ...new Set(fresh.flatMap(([, kind, subjectId]) => (kind === wanted && subjectId) || [])),
  ]
  return {
    position: {
      watermark,
      seen: new Set(changes.filter(([, , , xid]) => BigInt(xid) >= watermark).map(([id]) => id)),
    },
    ids: listIds('message'),
    people: listIds('person'),
    isTooMany: fresh.length > MAX_IDS || fresh.some(([, , subjectId]) => subjectId === null),
    newest: fresh.at(-1)?.[0] ?? 0,
  }
}

/** Deletes changes that every process has read long ago. */
async function trimChanges({ db }: Database): Promise<void> {
  await sql`delete from changes
    where at < now() - ${sql.lit(KEEP_MINUTES)} * interval '1 minute'`.execute(db)
}

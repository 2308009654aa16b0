import { sql } from 'kysely'
import type { MessageChange } from '#contract/support.ts'
import { coalesce } from '#contract/timing.ts'
import { type Database, prepare } from '#server/database/database.ts'
import { type Log, logFirstFailure } from '#server/log.ts'

/** What happens within it goes into one event. */
const COALESCE_MS = 20
/** Finds what no notification told of: a pooler between us and the database swallows them. */
const POLL_MS = 2_000
const MAX_IDS = 200
const KEEP_MINUTES = 60
const TRIM_EVERY_MS = 10 * 60_000
/** Well before the first rows may have been trimmed. */
const STALE_AFTER_MS = 30 * 60_000

interface FollowOptions {
  database: Database
  log: Log
  /** @param id of the newest change that the event tells of */
  onChange: (change: MessageChange, id: number) => void
  /** Without, nothing is polled. */
  isWatched: () => boolean
}

export type Follower = ReturnType<typeof createFollower>

/** Makes what reads every change of the messages and of the people, whoever made it on whatever replica, exactly once. */
export function createFollower(options: FollowOptions) {
  let following: Promise<() => Promise<void>> | undefined
  return {
    /** Resolves when nothing is missed any more that is committed from then on. @throws what the database throws */
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

/** @returns what ends it */
async function follow({ database, log, onChange, isWatched }: FollowOptions): Promise<() => Promise<void>> {
  let { position } = await readChanges(database)
  let readAt = performance.now()
  let newest = 0
  let trimmedAt = Number.NEGATIVE_INFINITY

  async function readNew() {
    const found = await readChanges(database, position)
    // Behind where we were: another database has taken its place.
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

/** How far a process has read. */
interface Position {
  /** Every transaction below it has ended and been read. */
  watermark: bigint
  /** Changes that were read although their transaction is not below. */
  seen: ReadonlySet<number>
}

interface ReadChanges {
  position: Position
  /** Which messages have changed since, and which people. */
  ids: string[]
  people: string[]
  /** They are not all named. */
  isTooMany: boolean
  /** The newest change among them; 0 when there is none. */
  newest: number
}

/**
 * Change ids are given out before their transactions commit, in any order: only below the oldest transaction that
 * runs is everything there. Both are read from one snapshot.
 */
const READ_CHANGES = prepare(`
  select watermark::text, coalesce((
    select json_agg(json_build_array(id, kind, subject_id, xid::text) order by id)
    from changes where xid >= coalesce($1::xid8, watermark)), '[]')::text as changes
  from (select pg_snapshot_xmin(pg_current_snapshot()) as watermark) as snapshot`)

/**
 * Reads on from a position; without one, only finds where to read on from so that nothing is missed that commits from
 * now on, and nothing is told that is there already.
 */
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

/** Removes changes that every process has read long ago. */
async function trimChanges({ db }: Database): Promise<void> {
  await sql`delete from changes
    where at < now() - ${sql.lit(KEEP_MINUTES)} * interval '1 minute'`.execute(db)
}

import type { MessageChange } from '#contract/support.ts'
import type { Database } from '#server/database/database.ts'
import type { Log } from '#server/log.ts'
import { coalesce } from './coalesce.ts'
import { type Position, readChanges, readPosition } from './read-changes.ts'
import { trimNowAndThen } from './trim-changes.ts'

/** What happens within it goes into one event. */
const REST_MS = 20
/** Finds what no notification told of: a pooler between us and the database swallows them. */
const POLL_MS = 2_000
const MOST_IDS = 200
/** Well before the first rows may have been trimmed. */
const LATE_MS = 30 * 60_000

export interface FollowOptions {
  database: Database
  log: Log
  /** @param id of the newest change that the event tells of */
  onChange: (change: MessageChange, id: number) => void
  /** While nobody is there to be told, nothing is polled. */
  isWatched: () => boolean
}

/** Reads every change of the messages, whoever made it on whatever replica, exactly once. */
export interface Follower {
  /** Resolves when nothing is missed any more that is committed from then on. @throws what the database throws */
  start(): Promise<void>
  stop(): Promise<void>
}

export function createFollower(options: FollowOptions): Follower {
  let following: Promise<() => Promise<void>> | undefined
  return {
    async start() {
      following ??= follow(options)
      const mine = following
      try {
        await mine
      } catch (error) {
        if (following === mine) following = undefined
        throw error
      }
    },
    async stop() {
      const stopFollowing = await following?.catch(() => undefined)
      await stopFollowing?.()
    },
  }
}

/** @returns what ends it */
async function follow({ database, log, onChange, isWatched }: FollowOptions): Promise<() => Promise<void>> {
  const read = createReader(database, onChange, await readPosition(database))
  const reading = coalesce(reportOnce(log, read), REST_MS)
  const stopListening = database.listen('support_messages', reading.wake)
  const trim = trimNowAndThen(database.db, log)
  const poll = setInterval(() => {
    if (!isWatched()) return
    reading.wake()
    trim()
  }, POLL_MS)
  return async () => {
    clearInterval(poll)
    await stopListening()
    await reading.stop()
  }
}

/** Makes the function that reads on and tells what it found. */
function createReader(database: Database, onChange: FollowOptions['onChange'], start: Position) {
  let position = start
  let readAt = performance.now()
  let newest = 0
  return async () => {
    const found = await readChanges(database, position)
    // Behind where we were: another database has taken its place.
    const isOther = found.position.watermark < position.watermark
    const isLate = performance.now() - readAt > LATE_MS
    position = found.position
    readAt = performance.now()
    newest = Math.max(newest, found.newest)
    if (isOther || isLate || found.ids.length > MOST_IDS) onChange({ kind: 'stale' }, newest)
    else if (found.ids.length > 0) onChange({ kind: 'changed', ids: found.ids }, newest)
  }
}

/** Logs the first of a row of failures; the next poll tries again. */
function reportOnce(log: Log, work: () => Promise<void>) {
  let isFailing = false
  return async () => {
    try {
      await work()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'message changes not read')
      isFailing = true
    }
  }
}

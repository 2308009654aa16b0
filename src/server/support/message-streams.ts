import type { Database } from '#server/database/database.ts'
import type { Actor } from '#server/http/context.ts'
import { type AcceptStream, encodeEvent, encodeRetry, HEARTBEAT } from '#server/http/event-stream.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import { findAdminSessions } from './find-admin-sessions.ts'
import { createFollower } from './follow-changes.ts'
import { createOpenStreams, type OpenStreams } from './open-streams.ts'

const HEARTBEAT_MS = 15_000
/** A stream outlives its session by this, and by one query, at most. */
const CHECK_MS = 3_000
const RETRY_MS = 1_000

/** Everybody who follows the messages through this process. */
export interface MessageStreams {
  /** @returns what takes an administrator's stream over, and refuses the sixth with rate-limited */
  follow(actor: Actor): Promise<AcceptStream>
  /** Sends everybody away, to another replica or to come back later, and lets nobody in. */
  stop(): Promise<void>
}

interface StreamDeps {
  database: Database
  log: Log
  /** Told of each stream that begins; what it returns, of its end. */
  metrics: { openStream(): () => void }
  /** ms since the epoch */
  clock: () => number
}

export function createMessageStreams(deps: StreamDeps): MessageStreams {
  const open = createOpenStreams()
  const stopTending = tend(open, deps)
  let newest = 0
  let isStopped = false
  const follower = createFollower({
    ...deps,
    isWatched: () => open.count() > 0,
    onChange(change, id) {
      newest = id
      open.tellAll(encodeEvent(id, change))
    },
  })
  const refuseWhenStopped = () => {
    if (isStopped)
      throw new ProblemError('too-busy', { detail: 'O portal está sendo reiniciado.', retryAfterSeconds: 1 })
  }
  return {
    async follow({ sessionId, profile: { user_id: userId } }) {
      refuseWhenStopped()
      await follower.start()
      return (stream) => {
        refuseWhenStopped()
        const leave = open.add(stream, { sessionId, userId })
        stream.write(encodeRetry(RETRY_MS))
        // Whatever it knows may be older than where the follower is.
        stream.write(encodeEvent(newest, { kind: 'stale' }))
        const uncount = deps.metrics.openStream()
        return () => {
          uncount()
          leave()
        }
      }
    },
    async stop() {
      isStopped = true
      stopTending()
      open.closeAll()
      await follower.stop()
    },
  }
}

/** Shows now and then that the streams live, and closes those whose session does not. @returns what ends it */
function tend(open: OpenStreams, { database, clock }: StreamDeps): () => void {
  const closeEnded = onceAtATime(() =>
    open.closeEnded((sessionIds) => findAdminSessions(database.db, sessionIds, clock())),
  )
  const timers = [setInterval(() => open.tellAll(HEARTBEAT), HEARTBEAT_MS), setInterval(closeEnded, CHECK_MS)]
  for (const timer of timers) timer.unref()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

/** While the database is away nothing is learnt: the next time tries again. */
function onceAtATime(check: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    await check().catch(() => {})
    isRunning = false
  }
}

import { sql } from 'kysely'
import { lifeOfSessions } from '#server/accounts/sessions.ts'
import type { Database } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor } from '#server/http/context.ts'
import {
  type AcceptStream,
  type EventStream,
  encodeEvent,
  encodeRetry,
  HEARTBEAT,
} from '#server/http/event-stream.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import { createFollower } from './follow-changes.ts'

const HEARTBEAT_MS = 15_000
/** A stream outlives its session by this, and by one query, at most. */
const CHECK_MS = 3_000
const RETRY_MS = 1_000
const MAX_STREAMS_PER_USER = 5
const RETRY_AFTER_TOO_MANY_SECONDS = 15

export type MessageStreams = ReturnType<typeof createMessageStreams>

interface MessageStreamServices {
  database: Database
  log: Log
  /** Told of each stream that begins; what it returns, of its end. */
  metrics: { openStream(): () => void }
  /** ms since the epoch */
  clock: () => number
  sessionMaxDays: number
}

/** All who follow the messages through this process. */
export function createMessageStreams(services: MessageStreamServices) {
  const { database, metrics, clock, sessionMaxDays } = services
  const open = new Map<EventStream, Actor>()
  let newest = 0
  let isStopped = false
  let isChecking = false

  const broadcast = (events: Uint8Array) => {
    for (const stream of open.keys()) stream.write(events)
  }
  const follower = createFollower({
    ...services,
    isWatched: () => open.size > 0,
    onChange(change, id) {
      newest = id
      broadcast(encodeEvent(id, change))
    },
  })

  /** Closes the streams whose session has ended or is no longer an administrator's. */
  async function closeEndedStreams() {
    if (isChecking || open.size === 0) return
    isChecking = true
    // Those who come while the question is asked are not judged by its answer.
    const checked = [...open]
    try {
      const sessionIds = new Set(checked.map(([, { sessionId }]) => sessionId))
      const alive = await findAdminSessions(
        database.db,
        [...sessionIds],
        lifeOfSessions(clock(), sessionMaxDays),
      )
      for (const [stream, { sessionId }] of checked) if (!alive.has(sessionId)) stream.close()
    } catch {
      // While the database is away nothing is learnt: the next time tries again.
    } finally {
      isChecking = false
    }
  }
  const timers = [setInterval(() => broadcast(HEARTBEAT), HEARTBEAT_MS), setInterval(closeEndedStreams, CHECK_MS)]
  for (const timer of timers) timer.unref()

  function refuseWhenStopped() {
    if (isStopped)
      throw new ProblemError('too-busy', { detail: 'O portal está sendo reiniciado.', retryAfterSeconds: 1 })
  }
  function refuseTooMany({ profile }: Actor) {
    const own = [...open.values()].filter((owner) => owner.profile.user_id === profile.user_id)
    if (own.length >= MAX_STREAMS_PER_USER)
      throw new ProblemError('rate-limited', {
        detail: 'O portal já está aberto em muitas abas.',
        retryAfterSeconds: RETRY_AFTER_TOO_MANY_SECONDS,
      })
  }

  return {
    /** @returns what takes an administrator's stream over, and refuses the sixth with rate-limited */
    async follow(actor: Actor): Promise<AcceptStream> {
      refuseWhenStopped()
      await follower.start()
      return (stream) => {
        refuseWhenStopped()
        refuseTooMany(actor)
        open.set(stream, actor)
        const uncount = metrics.openStream()
        stream.write(encodeRetry(RETRY_MS))
        // Whatever it knows may be older than where the follower is.
        stream.write(encodeEvent(newest, { kind: 'stale' }))
        return () => {
          uncount()
          open.delete(stream)
        }
      }
    },
    /** Sends all of them away, to another replica or to come back later, and lets no one in. */
    async stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      for (const stream of open.keys()) stream.close()
      await follower.stop()
    },
  }
}

/**
 * Which of these sessions live and belong to somebody who is an administrator right now; the same rules as the
 * check of every request.
 */
async function findAdminSessions(
  db: Db,
  sessionIds: string[],
  { openedAfter, refreshedAfter }: ReturnType<typeof lifeOfSessions>,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('user_roles', 'user_roles.user_id', 'sessions.user_id')
    .select('sessions.id')
    .where(sql<boolean>`sessions.id = any(${sessionIds}::uuid[])`)
    .where('sessions.kind', '=', 'full')
    .where('sessions.refreshed_at', '>', refreshedAfter)
    .where('sessions.created_at', '>', openedAfter)
    .where('user_roles.role', '=', 'admin')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

import { sql } from 'kysely'
import { getSessionCutoffs } from '#server/accounts/sessions.ts'
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
/** A stream outlives its session by at most this and one query. */
const CHECK_MS = 3_000
const RETRY_MS = 1_000
const MAX_STREAMS_PER_USER = 5
const RETRY_AFTER_TOO_MANY_SECONDS = 15

export type MessageStreams = ReturnType<typeof createMessageStreams>

interface MessageStreamServices {
  database: Database
  log: Log
  /** Counts a stream as open; the returned function counts its end. */
  metrics: { openStream(): () => void }
  /** ms since the epoch */
  clock: () => number
  sessionMaxDays: number
}

/** Creates the registry of this process's event streams of message changes. */
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

  /** Closes streams whose session has ended or lost the role. */
  async function closeEnded() {
    if (isChecking || open.size === 0) return
    isChecking = true
    // Streams opened during the query are not in its result.
    const checked = [...open]
    try {
      const sessionIds = new Set(checked.map(([, { sessionId }]) => sessionId))
      const alive = await findAdminSessions(
        database.db,
        [...sessionIds],
        getSessionCutoffs(clock(), sessionMaxDays),
      )
      for (const [stream, { sessionId }] of checked) if (!alive.has(sessionId)) stream.close()
    } catch {
      // While the database is down, the next check retries.
    } finally {
      isChecking = false
    }
  }
  const timers = [setInterval(() => broadcast(HEARTBEAT), HEARTBEAT_MS), setInterval(closeEnded, CHECK_MS)]
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
    /** @returns accepts an administrator's stream. @throws ProblemError rate-limited for the sixth */
    async follow(actor: Actor): Promise<AcceptStream> {
      refuseWhenStopped()
      await follower.start()
      return (stream) => {
        refuseWhenStopped()
        refuseTooMany(actor)
        open.set(stream, actor)
        const uncount = metrics.openStream()
        stream.write(encodeRetry(RETRY_MS))
        // The client's data may be older than the follower's position.
        stream.write(encodeEvent(newest, { kind: 'stale' }))
        return () => {
          uncount()
          open.delete(stream)
        }
      }
    },
    /** Closes all streams, whose clients reconnect elsewhere or later, and accepts no new ones. */
    async stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      for (const stream of open.keys()) stream.close()
      await follower.stop()
    },
  }
}

/** Returns the active sessions of current administrators, by the rules of the check of each request. */
async function findAdminSessions(
  db: Db,
  sessionIds: string[],
  { openedAfter, refreshedAfter }: ReturnType<typeof getSessionCutoffs>,
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

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { coalesce } from '#contract/timing.ts'
import { type Log, logFirstFailure } from '#server/log.ts'
import type { Db } from './schema.ts'

export interface WorkerServices {
  db: Db
  log: Log
  /** ms since the epoch */
  clock: () => number
}

/**
 * Continues the lease. Ask before each step that must not run twice at once: more than half of the
 * lease is left then. @returns false when it is lost or the worker stops
 */
export type KeepLease = () => Promise<boolean>

export type LeasedWorker = ReturnType<typeof createLeasedWorker>

/**
 * Creates a worker that every replica runs and one at a time works in.
 * @param wanted.name of the lease
 * @param wanted.leaseMs how long a crashed replica's work waits
 * @param wanted.work runs every pollMs; the signal aborts when the worker stops
 */
export function createLeasedWorker(
  services: WorkerServices,
  wanted: {
    name: string
    leaseMs: number
    pollMs?: number
    work: (keep: KeepLease, signal: AbortSignal) => Promise<void>
  },
) {
  const { db, log, clock } = services
  const { name, leaseMs, pollMs = 1_000, work } = wanted
  const holder = randomUUID()
  const stopping = new AbortController()
  let poll: NodeJS.Timeout | undefined
  let heldUntil = 0

  async function keep(): Promise<boolean> {
    if (stopping.signal.aborted) return false
    const now = clock()
    if (heldUntil - now > leaseMs / 2) return true
    const until = new Date(now + leaseMs)
    // An upsert that changes nothing would still write, each second on each replica.
    const isTaken = sql`select from job_claims where name = ${name} and claimed_until > ${new Date(now)}
      and holder is distinct from ${holder}::uuid`
    const { rows } = await sql`
      insert into job_claims (name, claimed_until, holder)
      select ${name}, ${until}, ${holder}::uuid where not exists (${isTaken})
      on conflict (name) do update set claimed_until = excluded.claimed_until, holder = excluded.holder
        where job_claims.claimed_until <= ${new Date(now)} or job_claims.holder = excluded.holder
      returning name`.execute(db)
    heldUntil = rows.length > 0 ? now + leaseMs : 0
    return heldUntil > 0
  }
  async function runOnce(): Promise<void> {
    if (await keep()) await work(keep, stopping.signal)
  }
  const polling = coalesce(logFirstFailure(log, `${name} stalled`, runOnce), 0)
  return {
    start() {
      poll ??= setInterval(polling.wake, pollMs)
      // At once too: what the first time takes is over before people come.
      polling.wake()
    },
    /** Works once, if no other replica holds the lease. */
    runNow: runOnce,
    /** Waits for the current step, and gives the lease to others. */
    async stop(): Promise<void> {
      clearInterval(poll)
      stopping.abort()
      await polling.stop()
      if (heldUntil === 0) return
      heldUntil = 0
      await db
        .updateTable('job_claims')
        .set({ claimed_until: new Date(clock()) })
        .where('name', '=', name)
        .where('holder', '=', holder)
        .execute()
        .catch((err) => log.warn({ err }, `${name} not released`))
    },
  }
}

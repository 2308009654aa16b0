import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { backoffDelay, coalesce, withTimeout } from '#contract/timing.ts'
import { type Log, logFirstFailure } from '#server/log.ts'
import type { Db } from './schema.ts'

const POLL_MS = 1_000
/** Longer than a heartbeat can be late; a crashed replica's jobs wait this long. */
const LEASE_MS = 60_000
const HEARTBEAT_MS = 15_000
/** Shorter than the shutdown time-out; a mail may wait ten minutes for its answer. */
const STOP_MS = 20_000
const BACKOFF = { firstMs: 5_000, maxMs: 300_000 }
const MAX_FAILURES = 6
/** All jobs export reports, which is heavy work for a capacity (five at once on the smallest). */
const MAX_RUNNING = 5
const CLAIM_LOCK = 740_210_428

export interface Job {
  id: string
  user_id: string
  input: unknown
  payload: string | null
  /** Empty before the first step has ended. */
  progress: Record<string, unknown>
  failures: number
  /** Why the last step failed, as administrators read it. */
  admin_detail: string | null
}

/** The result of a step of a job; times in ms. */
export type JobStep =
  /** More steps follow; the job keeps its place among the running ones. */
  | { kind: 'waiting'; progress: Record<string, unknown>; afterMs: number }
  /**
   * A transient failure: tries this step again, with a backoff. A patient one gives its place to others
   * meanwhile, and is tried until the step itself gives up.
   */
  | ({ kind: 'retry'; afterMs: number; isPatient?: true } & Details)
  | { kind: 'done'; progress: Record<string, unknown>; write?: WriteJobEnd }
  | ({ kind: 'failed'; write?: WriteJobEnd } & Details)

/** Why a step failed, in Portuguese: for the person, and for administrators where it differs. */
interface Details {
  detail: string
  administratorDetail?: string | undefined
}

/** Runs in the transaction that ends the job; not at all when the job or its person is gone. */
type WriteJobEnd = (db: Db) => Promise<void>

/**
 * Does one step, which must not take long. An error counts as a transient failure.
 * @param saveProgress writes progress down before the step ends; throws when the lease is lost
 */
export type RunJobStep = (
  job: Job,
  saveProgress: (progress: Record<string, unknown>) => Promise<void>,
) => Promise<JobStep>

interface JobQueueServices {
  db: Db
  log: Log
  /** ms since the epoch */
  clock: () => number
  /** By kind, in the order of their priority. */
  runStep: Record<string, RunJobStep>
  /** Queues the jobs of schedules. */
  queueDue?: () => Promise<void>
}

export type JobQueue = ReturnType<typeof createJobQueue>

/** Queues a job. Call it in the transaction that causes it. @returns its id */
export async function queueJob(
  { db, clock }: Pick<JobQueueServices, 'db' | 'clock'>,
  job: { kind: string; userId: string; input: object; payload: string | null },
): Promise<string> {
  const now = new Date(clock())
  const { id } = await db
    .insertInto('jobs')
    .values({
      kind: job.kind,
      user_id: job.userId,
      input: JSON.stringify(job.input),
      payload: job.payload,
      created_at: now,
      due_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Creates the worker of the queue; every replica runs one. */
export function createJobQueue(services: JobQueueServices) {
  let poll: NodeJS.Timeout | undefined
  const running = new Set<Promise<void>>()

  const { log, queueDue } = services
  // Apart from the claims: exports go on meanwhile.
  const queueScheduled = queueDue && logFirstFailure(log, 'job schedules stalled', queueDue)

  async function startDue(): Promise<void> {
    await queueScheduled?.()
    for (let job = await claimJob(services); job; job = await claimJob(services)) {
      const run = runJob(services, job).finally(() => running.delete(run))
      running.add(run)
    }
  }
  const polling = coalesce(logFirstFailure(log, 'job queue stalled', startDue), 0)
  return {
    start() {
      poll ??= setInterval(polling.wake, POLL_MS)
    },
    /** Runs one step of each due job. */
    async runDue() {
      await startDue()
      await Promise.all(running)
    },
    /** Claims no further job, and leaves steps that do not end to their lease. */
    async stop() {
      clearInterval(poll)
      await polling.stop()
      await withTimeout(Promise.all(running), STOP_MS, () => undefined)
    },
  }
}

type ClaimedJob = Job & { lease: string; kind: string }

/** Leases the job that is due longest and within the limits, also over replicas. */
async function claimJob({ db, clock, runStep }: JobQueueServices): Promise<ClaimedJob | undefined> {
  const now = new Date(clock())
  const kinds = sql`${Object.keys(runStep)}::text[]`
  const isDue = sql<boolean>`status in ('queued', 'running') and due_at <= ${now}
    and (leased_until is null or leased_until <= ${now}) and kind = any(${kinds})`
  const due = await db.selectFrom('jobs').select('id').where(isDue).limit(1).executeTakeFirst()
  if (!due) return undefined
  return db.transaction().execute(async (transaction) => {
    // Two replicas that count at once would both take the last place.
    await sql`select pg_advisory_xact_lock(${CLAIM_LOCK})`.execute(transaction)
    const { rows } = await sql<ClaimedJob>`
      update jobs set status = 'running', lease = ${randomUUID()}, leased_until = ${new Date(clock() + LEASE_MS)}
      where id = (
        select id from jobs as job where ${isDue} and (status = 'running' or (
          (select count(*) from jobs where status = 'running') < ${MAX_RUNNING}
          and not exists (select from jobs as own where own.status = 'running' and own.user_id = job.user_id)))
        order by array_position(${kinds}, kind), due_at limit 1)
      returning id, kind, user_id, input, payload, progress, failures, admin_detail, lease`.execute(
      transaction,
    )
    return rows[0]
  })
}

async function runJob({ db, log, clock, runStep }: JobQueueServices, job: ClaimedJob): Promise<void> {
  const lease = db.updateTable('jobs').where('id', '=', job.id).where('lease', '=', job.lease)
  const heartbeat = setInterval(() => {
    const leased_until = new Date(clock() + LEASE_MS)
    // A missed heartbeat is made up for by the next one.
    lease
      .set({ leased_until })
      .execute()
      .catch(() => {})
  }, HEARTBEAT_MS)
  const saveProgress = async (progress: Record<string, unknown>) => {
    const { numUpdatedRows } = await lease.set({ progress: JSON.stringify(progress) }).executeTakeFirst()
    if (numUpdatedRows === 0n) throw new Error('the lease is lost')
  }
  try {
    const step = await runStep[job.kind]?.(job, saveProgress).catch((err): JobStep => {
      log.error({ err, job: job.id }, 'job failed')
      return {
        kind: 'retry',
        afterMs: 0,
        detail: 'Algo deu errado do nosso lado. Tente novamente em instantes.',
      }
    })
    if (!step) return
    const now = clock()
    const free = { lease: null, leased_until: null }
    const end = async (
      values:
        | { status: 'done'; progress: string }
        | { status: 'failed'; detail: string; admin_detail: string | null },
    ) =>
      db.transaction().execute(async (transaction) => {
        // Before the job's row, in the order of deletions.
        await transaction
          .selectFrom('profiles')
          .select('user_id')
          .where('user_id', '=', job.user_id)
          .forKeyShare()
          .execute()
        const { numUpdatedRows } = await transaction
          .updateTable('jobs')
          .set({ ...free, payload: null, finished_at: new Date(now), ...values })
          .where('id', '=', job.id)
          .where('lease', '=', job.lease)
          .executeTakeFirst()
        if (numUpdatedRows > 0n && 'write' in step) await step.write?.(transaction)
      })
    if (step.kind === 'waiting') {
      const progress = JSON.stringify(step.progress)
      await lease.set({ ...free, progress, failures: 0, due_at: new Date(now + step.afterMs) }).execute()
    } else if (step.kind === 'done') {
      await end({ status: 'done', progress: JSON.stringify(step.progress) })
    } else if (step.kind === 'failed' || (!step.isPatient && job.failures + 1 >= MAX_FAILURES)) {
      await end({ status: 'failed', detail: step.detail, admin_detail: step.administratorDetail ?? null })
    } else {
      const failures = job.failures + 1
      const due_at = new Date(now + backoffDelay(failures, { ...BACKOFF, retryAfterMs: step.afterMs }))
      // Without progress nothing runs elsewhere, so that the place is free for others.
      const isRunning = !step.isPatient && Object.keys(job.progress).length > 0
      const status = isRunning ? 'running' : 'queued'
      const admin_detail = step.administratorDetail ?? null
      await lease.set({ ...free, failures, due_at, status, admin_detail }).execute()
    }
  } catch (err) {
    // The lease expires, and the step is run again.
    log.error({ err, job: job.id }, 'job not written down')
  } finally {
    clearInterval(heartbeat)
  }
}

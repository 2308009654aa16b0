import type { Log } from '#server/log.ts'
import type { Db } from './schema.ts'

/** Keeps jobs out of the startup. */
const STARTUP_DELAY_MS = 5_000

interface PeriodicJobOptions<T> {
  db: Db
  log: Log
  /** ms since the epoch */
  clock: () => number
  /** Key of its claim. */
  name: string
  /** Shorter than the shortest interval between runs, so that a single replica claims each run. */
  claimMs: number
  intervalMs: number
  /** Delay after a run that failed or was incomplete. */
  retryMs: number
  /** @param at when it began, in ms since the epoch */
  run: (at: number, shouldContinue: () => boolean) => Promise<T>
}

/** Creates a job that runs at intervals; of all replicas, one claims each run. */
export function createPeriodicJob<T extends { isComplete: boolean }>(options: PeriodicJobOptions<T>) {
  const { db, log, clock, name, claimMs, intervalMs, retryMs, run } = options
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopped = false

  async function runNow() {
    const at = clock()
    if (!(await claimJob(db, name, at, at + claimMs))) return undefined
    const outcome = await run(at, () => !isStopped)
    if (!outcome.isComplete) await releaseJob(db, name, at)
    return outcome
  }
  async function runAndSchedule() {
    try {
      const outcome = await runNow()
      schedule(outcome?.isComplete === false ? retryMs : intervalMs)
    } catch (error) {
      // An unhandled rejection would stop the portal.
      log.error({ err: error }, `${name} stalled`)
      schedule(retryMs)
    }
  }
  /** Adds 10 % jitter, so that replicas do not stay synchronized. */
  function schedule(ms: number) {
    if (isStopped) return
    const jittered = ms * (0.9 + Math.random() * 0.2)
    timer = setTimeout(() => {
      running = runAndSchedule()
    }, jittered).unref()
  }
  return {
    /** Schedules the first run soon and then one per interval. */
    start: () => schedule(STARTUP_DELAY_MS),
    /**
     * Runs it now, unless another replica has a claim.
     * @returns the outcome; undefined without the claim
     */
    runNow,
    /** Starts nothing further and waits for the current run. */
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/**
 * Claims a job atomically for one of several replicas. The claim of a crashed replica expires.
 * @param at ms since the epoch
 * @param until the end of the claim, ms since the epoch
 */
async function claimJob(db: Db, name: string, at: number, until: number): Promise<boolean> {
  const claimed = await db
    .insertInto('job_claims')
    .values({ name, claimed_until: new Date(until) })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ claimed_until: new Date(until) })
        .where('job_claims.claimed_until', '<=', new Date(at)),
    )
    .returning('name')
    .executeTakeFirst()
  return claimed !== undefined
}

/** Releases the claim from an instant (ms since the epoch) on. */
async function releaseJob(db: Db, name: string, from: number): Promise<void> {
  await db
    .updateTable('job_claims')
    .set({ claimed_until: new Date(from) })
    .where('name', '=', name)
    .execute()
}

import { wait } from '#contract/timing.ts'
import { isDatabaseUnavailable } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'
import { recordFact } from './portal-facts.ts'
import { createRetentionRules, type RetentionPeriods, type RetentionRule } from './retention-rules.ts'

const JOB = 'retention'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Shorter than the shortest interval between runs, so that a single replica claims each run. */
const CLAIM_MS = 45 * MINUTE_MS
const RETRY_MS = 5 * MINUTE_MS
/** Keeps the job out of the startup. */
const STARTUP_DELAY_MS = 5_000

interface RetentionServices {
  db: Db
  log: Log
  /** ms since the epoch */
  clock: () => number
  periods: RetentionPeriods
}

/** Creates the job that deletes expired data; of all replicas, one claims each run. */
export function createRetentionJob(services: RetentionServices) {
  const rules = createRetentionRules(services.periods)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopped = false

  async function runOnce() {
    const at = services.clock()
    if (!(await claimJob(services.db, JOB, at, at + CLAIM_MS))) return undefined
    const run = { ...services, shouldContinue: () => !isStopped }
    const outcome = await applyRetention(run, rules, at)
    if (Object.keys(outcome.deleted).length > 0)
      services.log.info({ deleted: outcome.deleted }, 'old data deleted')
    if (outcome.isComplete) await recordFact(services.db, 'last-retention')
    else await releaseJob(services.db, JOB, at)
    return outcome
  }
  async function runAndSchedule() {
    try {
      const outcome = await runOnce()
      schedule(outcome?.isComplete === false ? RETRY_MS : HOUR_MS)
    } catch (error) {
      // An unhandled rejection would stop the portal.
      services.log.error({ err: error }, 'retention stalled')
      schedule(RETRY_MS)
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
    /** Schedules the first run soon and then about every hour. */
    start: () => schedule(STARTUP_DELAY_MS),
    /**
     * Runs it now, unless another replica has a claim.
     * @returns rows deleted by each rule; undefined without the claim
     */
    runNow: async () => (await runOnce())?.deleted,
    /** Starts no further batch and waits for the current one. */
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Small enough to lock rows only briefly, and to serve queries of the embedded database in between. */
const BATCH_ROWS = 200
const BATCH_PAUSE_MS = 50

interface RetentionRun extends Pick<RetentionServices, 'db' | 'log'> {
  shouldContinue: () => boolean
}

/**
 * Applies every rule in batches. Logs a failed rule and continues with the others.
 * @param at ms since the epoch
 * @returns rows deleted by each rule that deleted any, and whether all rules succeeded
 */
export async function applyRetention(
  run: RetentionRun,
  rules: RetentionRule[],
  at: number,
): Promise<{ deleted: Record<string, number>; isComplete: boolean }> {
  const deleted: Record<string, number> = {}
  let isComplete = true
  for (const rule of rules) {
    const count = (rows: number) => {
      if (rows > 0) deleted[rule.name] = (deleted[rule.name] ?? 0) + rows
    }
    try {
      await applyRule(run, rule, at, count)
    } catch (error) {
      isComplete = false
      run.log.error({ err: error, rule: rule.name }, 'retention failed')
      if (isDatabaseUnavailable(error)) break
    }
  }
  return { deleted, isComplete: isComplete && run.shouldContinue() }
}

async function applyRule(
  { db, shouldContinue }: RetentionRun,
  rule: RetentionRule,
  at: number,
  count: (rows: number) => void,
): Promise<void> {
  while (shouldContinue()) {
    const rows = await rule.deleteBatch(db, at, BATCH_ROWS)
    count(rows)
    if (rows < BATCH_ROWS) return
    await wait(BATCH_PAUSE_MS)
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

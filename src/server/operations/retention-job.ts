import type { RetentionPeriods } from '#contract/privacy.ts'
import { wait } from '#contract/timing.ts'
import { isDatabaseUnavailable } from '#server/database/database.ts'
import { createPeriodicJob } from '#server/database/periodic-job.ts'
import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'
import { recordFact } from './portal-facts.ts'
import { createRetentionRules, type RetentionRule } from './retention-rules.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Shorter than the shortest interval between runs, so that a single replica claims each run. */
const CLAIM_MS = 45 * MINUTE_MS
const RETRY_MS = 5 * MINUTE_MS

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
  const { start, runNow, stop } = createPeriodicJob({
    ...services,
    name: 'retention',
    claimMs: CLAIM_MS,
    intervalMs: HOUR_MS,
    retryMs: RETRY_MS,
    async run(at, shouldContinue) {
      const outcome = await applyRetention({ ...services, shouldContinue }, rules, at)
      if (Object.keys(outcome.deleted).length > 0)
        services.log.info({ deleted: outcome.deleted }, 'old data deleted')
      if (outcome.isComplete) await recordFact(services.db, 'last-retention')
      return outcome
    },
  })
  /** @returns rows deleted by each rule; undefined without the claim */
  return { start, stop, runNow: async () => (await runNow())?.deleted }
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
  const started = performance.now()
  // Entries carry the time, and one that is late looks inserted to verify-trail.
  const clock = () => at + Math.floor(performance.now() - started)
  for (const rule of rules) {
    const count = (rows: number) => {
      if (rows > 0) deleted[rule.name] = (deleted[rule.name] ?? 0) + rows
    }
    try {
      await applyRule(run, rule, clock, count)
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
  clock: () => number,
  count: (rows: number) => void,
): Promise<void> {
  while (shouldContinue()) {
    const rows = await rule.deleteBatch(db, clock(), BATCH_ROWS)
    count(rows)
    if (rows < BATCH_ROWS) return
    await wait(BATCH_PAUSE_MS)
  }
}

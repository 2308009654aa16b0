import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'
import { applyRetention } from './apply-retention.ts'
import { claimJob, releaseJob } from './claim-job.ts'
import { type RetentionPeriods, retentionRules } from './retention-rules.ts'

const JOB = 'retention'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Shorter than the shortest pause between two runs, so that a lone replica gets every one of its own. */
const CLAIM_MS = 45 * MINUTE_MS
const RETRY_MS = 5 * MINUTE_MS
/** A portal that has just started has better things to do. */
const FIRST_MS = 5_000

export interface RetentionDeps {
  db: Db
  log: Log
  /** ms since the epoch */
  clock: () => number
  periods: RetentionPeriods
}

/** The job that deletes what has been kept long enough; every replica runs one, and they take turns. */
export interface RetentionJob {
  /** Runs the job soon and then every hour, give or take. */
  start(): void
  /**
   * Runs it now, unless another replica has done so within the hour.
   * @returns rows deleted by each rule; undefined when it was not our turn
   */
  runNow(): Promise<Record<string, number> | undefined>
  /** Begins no further batch and waits for the one under way. */
  stop(): Promise<void>
}

export function createRetentionJob(deps: RetentionDeps): RetentionJob {
  const rules = retentionRules(deps.periods)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopped = false

  async function runOnce() {
    const at = deps.clock()
    if (!(await claimJob(deps.db, JOB, at, at + CLAIM_MS))) return undefined
    const run = { ...deps, mayGoOn: () => !isStopped }
    const outcome = await applyRetention(run, rules, at)
    if (Object.keys(outcome.deleted).length > 0)
      deps.log.info({ deleted: outcome.deleted }, 'old data deleted')
    if (!outcome.isComplete) await releaseJob(deps.db, JOB, at)
    return outcome
  }
  async function runAndPlan() {
    try {
      const outcome = await runOnce()
      planIn(outcome?.isComplete === false ? RETRY_MS : HOUR_MS)
    } catch (error) {
      // Whatever goes wrong here is no reason for the portal to stop.
      deps.log.error({ err: error }, 'retention stalled')
      planIn(RETRY_MS)
    }
  }
  /** Up to a tenth sooner or later, so that replicas that started together do not stay together. */
  function planIn(ms: number) {
    if (isStopped) return
    const jittered = ms * (0.9 + Math.random() * 0.2)
    timer = setTimeout(() => {
      running = runAndPlan()
    }, jittered).unref()
  }
  return {
    start: () => planIn(FIRST_MS),
    runNow: async () => (await runOnce())?.deleted,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

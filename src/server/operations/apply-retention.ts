import { setTimeout as wait } from 'node:timers/promises'
import { isDatabaseUnavailable } from '#server/database/is-unavailable.ts'
import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'
import type { RetentionRule } from './retention-rules.ts'

/** Small enough that no row is held for more than moments, and that the embedded database answers in between. */
const BATCH_ROWS = 200
const REST_MS = 50

export interface RetentionRun {
  db: Db
  log: Log
  /** Whether to go on; asked before each batch. */
  mayGoOn: () => boolean
}

/**
 * Applies every rule to what is old at an instant, batch by batch. A rule that fails is logged and does not keep
 * the others from being applied.
 * @param at ms since the epoch
 * @returns rows deleted by each rule that deleted any, and whether everything went well
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
  return { deleted, isComplete: isComplete && run.mayGoOn() }
}

async function applyRule(
  { db, mayGoOn }: RetentionRun,
  rule: RetentionRule,
  at: number,
  count: (rows: number) => void,
): Promise<void> {
  while (mayGoOn()) {
    const rows = await rule.deleteBatch(db, at, BATCH_ROWS)
    count(rows)
    if (rows < BATCH_ROWS) return
    await wait(REST_MS)
  }
}

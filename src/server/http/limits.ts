import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from './problem-error.ts'

/** How often something may happen: at most `max` times in each window. */
export interface Limit {
  max: number
  windowSeconds: number
}

/** Counts in the database, so that a limit holds over all replicas. */
export type TakeFromLimit = (key: string, limit: Limit) => Promise<void>

/**
 * Makes the function that takes one from a limit.
 * @returns a function that throws ProblemError rate-limited, with Retry-After, past the limit
 */
export function createLimits(db: Db, isOn: boolean, clock: () => number): TakeFromLimit {
  return async (key, { max, windowSeconds }) => {
    if (!isOn) return
    const now = new Date(clock())
    const resetsAt = new Date(clock() + windowSeconds * 1000)
    const row = await db
      .insertInto('rate_limits')
      .values({ key, taken: 1, resets_at: resetsAt })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          taken: sql`case when rate_limits.resets_at <= ${now} then 1 else rate_limits.taken + 1 end`,
          resets_at: sql`case when rate_limits.resets_at <= ${now} then ${resetsAt} else rate_limits.resets_at end`,
        }),
      )
      .returning(['taken', 'resets_at'])
      .executeTakeFirstOrThrow()
    if (row.taken > max)
      throw new ProblemError('rate-limited', {
        retryAfterSeconds: Math.max(1, Math.ceil((row.resets_at.getTime() - clock()) / 1000)),
      })
  }
}

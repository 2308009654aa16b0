import { sql } from 'kysely'
import { type Database, prepare } from '#server/database/database.ts'
import { ProblemError } from './problem-error.ts'

interface Limit {
  max: number
  windowSeconds: number
}

export type RateLimits = ReturnType<typeof createRateLimits>
export type ConsumeRateLimit = RateLimits['consumeRateLimit']

/** A refused request does not consume quota, as it would not be refunded. */
const CONSUME = prepare(`
  insert into rate_limits (key, taken, resets_at) values ($1, 1, $3)
  on conflict (key) do update set
    taken = case when rate_limits.resets_at <= $2 then 1 else rate_limits.taken + 1 end,
    resets_at = case when rate_limits.resets_at <= $2 then excluded.resets_at else rate_limits.resets_at end
  where rate_limits.taken < $4 or rate_limits.resets_at <= $2
  returning taken`)

/** Counts in the database, so that limits hold over all replicas. */
export function createRateLimits({ db, runPrepared }: Database, isOn: boolean, clock: () => number) {
  const createError = (resetsAt: Date) =>
    new ProblemError('rate-limited', {
      retryAfterSeconds: Math.max(1, Math.ceil((resetsAt.getTime() - clock()) / 1000)),
    })

  /** @throws ProblemError rate-limited with Retry-After when the limit is exceeded */
  async function consumeRateLimit(key: string, { max, windowSeconds }: Limit): Promise<void> {
    if (!isOn) return
    const now = new Date(clock())
    const resetsAt = new Date(clock() + windowSeconds * 1000)
    const [taken] = await runPrepared(CONSUME, [key, now.toISOString(), resetsAt.toISOString(), max])
    if (taken) return
    const row = await db
      .selectFrom('rate_limits')
      .select('resets_at')
      .where('key', '=', key)
      .executeTakeFirst()
    throw createError(row?.resets_at ?? resetsAt)
  }

  return {
    consumeRateLimit,
    /** Undoes one consumption, once the request turns out to be harmless. */
    async refundRateLimit(key: string) {
      if (!isOn) return
      await db
        .updateTable('rate_limits')
        .set({ taken: sql`greatest(0, taken - 1)` })
        .where('key', '=', key)
        .execute()
    },
  }
}

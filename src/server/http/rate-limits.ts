import { sql } from 'kysely'
import { createCache } from '#server/cache.ts'
import { type Database, prepare } from '#server/database/database.ts'
import { ProblemError } from './problem-error.ts'
import { countQueued, serializePerKey } from './serialize-per-key.ts'

interface Limit {
  max: number
  windowSeconds: number
  /**
   * Set for limits of an IP address: its calls take turns, so that a flood holds one connection, and a
   * full limit is remembered, until it resets or, if any replica may refund it, for a second.
   */
  perIp?: 'kept' | 'refunded'
}

const MAX_REMEMBERED = 10_000
/** Checks of a full limit that may run or wait; further calls are refused unchecked. */
const MAX_QUEUED_CHECKS = 500
const REMEMBER_REFUNDED_MS = 1_000

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
  /** When full limits reset, by key; never those of accounts, which another replica may clear. */
  const fullLimits = createCache<Date>(clock, { max: MAX_REMEMBERED })
  const rejectIfFull = (key: string) => {
    const resetsAt = fullLimits.get(key)
    if (resetsAt) throw createError(resetsAt)
  }

  async function consume(key: string, { max, windowSeconds, perIp }: Limit): Promise<void> {
    const now = new Date(clock())
    const resetsAt = new Date(clock() + windowSeconds * 1000)
    const [taken] = await runPrepared(CONSUME, [key, now.toISOString(), resetsAt.toISOString(), max])
    if (taken) return
    const row = await db
      .selectFrom('rate_limits')
      .select('resets_at')
      .where('key', '=', key)
      .executeTakeFirst()
    const resets = row?.resets_at ?? resetsAt
    if (perIp) {
      const untilResetMs = resets.getTime() - clock()
      const ttl = perIp === 'kept' ? untilResetMs : Math.min(untilResetMs, REMEMBER_REFUNDED_MS)
      // The cache keeps entries including their last millisecond; without a TTL, for ever.
      fullLimits.set(key, resets, { ttl: Math.max(1, ttl - 1) })
    }
    throw createError(resets)
  }

  /**
   * @param isExempt checked first, one call at a time; a call that is exempt consumes nothing
   * @throws ProblemError rate-limited with Retry-After when the limit is exceeded
   */
  async function consumeRateLimit(
    key: string,
    limit: Limit,
    isExempt?: () => Promise<boolean>,
  ): Promise<void> {
    if (!isOn) return
    if (!limit.perIp) return consume(key, limit)
    const isChecked = isExempt !== undefined && countQueued(key) < MAX_QUEUED_CHECKS
    if (!isChecked) rejectIfFull(key)
    await serializePerKey(key, async () => {
      if (!isChecked) rejectIfFull(key)
      if (await isExempt?.()) return
      rejectIfFull(key)
      await consume(key, limit)
    })
  }

  return {
    consumeRateLimit,
    /** Undoes one consumption, once the request turns out to be harmless. */
    async refundRateLimit(key: string) {
      if (!isOn) return
      fullLimits.delete(key)
      await db
        .updateTable('rate_limits')
        .set({ taken: sql`greatest(0, taken - 1)` })
        .where('key', '=', key)
        .execute()
    },
  }
}

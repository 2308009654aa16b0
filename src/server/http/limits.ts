import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from './problem-error.ts'

export interface Limit {
  max: number
  windowSeconds: number
}

export type Limits = ReturnType<typeof createLimits>
export type TakeFromLimit = Limits['takeFromLimit']

/** Counted in the database, so that a limit holds over all replicas. */
export function createLimits(db: Db, isOn: boolean, clock: () => number) {
  const refuse = (resetsAt: Date) =>
    new ProblemError('rate-limited', {
      retryAfterSeconds: Math.max(1, Math.ceil((resetsAt.getTime() - clock()) / 1000)),
    })

  /** @throws ProblemError rate-limited, with Retry-After, past the limit */
  async function takeFromLimit(key: string, { max, windowSeconds }: Limit): Promise<void> {
    if (!isOn) return
    const now = new Date(clock())
    const resetsAt = new Date(clock() + windowSeconds * 1000)
    const taken = await db
      .insertInto('rate_limits')
      .values({ key, taken: 1, resets_at: resetsAt })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet({
            taken: sql`case when rate_limits.resets_at <= ${now} then 1 else rate_limits.taken + 1 end`,
            resets_at: sql`case when rate_limits.resets_at <= ${now} then ${resetsAt} else rate_limits.resets_at end`,
          })
          // What is refused takes nothing: nobody would give it back.
          .where(({ eb, or }) =>
            or([eb('rate_limits.taken', '<', max), eb('rate_limits.resets_at', '<=', now)]),
          ),
      )
      .returning('taken')
      .executeTakeFirst()
    if (taken) return
    const row = await db
      .selectFrom('rate_limits')
      .select('resets_at')
      .where('key', '=', key)
      .executeTakeFirst()
    throw refuse(row?.resets_at ?? resetsAt)
  }

  return {
    takeFromLimit,
    /** Undoes a take, for what was found to be nobody's attack. */
    async giveBackToLimit(key: string) {
      if (!isOn) return
      await db
        .updateTable('rate_limits')
        .set({ taken: sql`greatest(0, taken - 1)` })
        .where('key', '=', key)
        .execute()
    },
  }
}

import type { Db } from '#server/database/schema.ts'

/**
 * Claims a job for one replica, in one statement: of several that ask, one gets it. A replica that dies leaves
 * the job to the others as soon as its claim runs out.
 * @param at ms since the epoch
 * @param until ms since the epoch; nobody else gets the job before
 * @returns whether the job is ours
 */
export async function claimJob(db: Db, name: string, at: number, until: number): Promise<boolean> {
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

/** Lets anybody have the job again from an instant (ms since the epoch) on. */
export async function releaseJob(db: Db, name: string, from: number): Promise<void> {
  await db
    .updateTable('job_claims')
    .set({ claimed_until: new Date(from) })
    .where('name', '=', name)
    .execute()
}

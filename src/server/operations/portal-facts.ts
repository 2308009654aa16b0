import type { Db } from '#server/database/schema.ts'

/** Jobs whose last complete run is recorded. */
type JobFact = 'last-back-up' | 'last-hash-mail' | 'last-retention'

/** Records when a job completed. */
export async function recordFact(db: Db, name: JobFact, at = new Date()): Promise<void> {
  const value = at.toISOString()
  await db
    .insertInto('portal_facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** @returns when the job last completed; undefined if never */
export async function readFact(db: Db, name: JobFact): Promise<Date | undefined> {
  const fact = await db.selectFrom('portal_facts').select('value').where('name', '=', name).executeTakeFirst()
  return fact && new Date(fact.value)
}

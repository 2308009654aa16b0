import type { Db } from '#server/database/schema.ts'

const FACT = 'demo'

export async function isMarkedAsDemo(db: Db): Promise<boolean> {
  const fact = await db.selectFrom('portal_facts').select('value').where('name', '=', FACT).executeTakeFirst()
  return fact?.value === 'true'
}

export async function markAsDemo(db: Db): Promise<void> {
  await db.insertInto('portal_facts').values({ name: FACT, value: 'true' }).execute()
}

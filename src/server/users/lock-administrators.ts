import type { Db } from '#server/database/schema.ts'

/**
 * The ids of all administrators, locked until the transaction ends and in one order, so that two who take the
 * role or the account from each other leave one.
 */
export async function lockAdministrators(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('user_roles')
    .select('user_id')
    .where('role', '=', 'admin')
    .orderBy('user_id')
    .forUpdate()
    .execute()
  return rows.map(({ user_id }) => user_id)
}

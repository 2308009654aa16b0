import type { Db } from '#server/database/schema.ts'

/** Whether an address belongs to an administrator, which may have changed since a mail was queued. */
export async function isAdministrator(db: Db, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('profiles')
    .innerJoin('user_roles', 'user_roles.user_id', 'profiles.user_id')
    .select('profiles.user_id')
    .where('email', '=', email)
    .where('role', '=', 'admin')
    .executeTakeFirst()
  return found !== undefined
}

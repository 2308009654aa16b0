import type { Role } from '#contract/access.ts'
import type { Profile } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'
import { recordAudit } from '#server/operations/record-audit.ts'

/** Gives a person a role; call it in a transaction. The portal itself is the actor. */
export async function setRole(
  db: Db,
  change: { person: Pick<Profile, 'user_id' | 'email'>; role: Role; request: RequestInfo; at: Date },
): Promise<void> {
  const { person, role, request, at } = change
  const before = await db
    .selectFrom('user_roles')
    .select('role')
    .where('user_id', '=', person.user_id)
    .executeTakeFirst()
  await db
    .insertInto('user_roles')
    .values({ user_id: person.user_id, role })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ role }))
    .execute()
  await recordAudit(db, {
    action: 'role-changed',
    target: person,
    before: { role: before?.role ?? 'user' },
    after: { role },
    request,
    at,
  })
}

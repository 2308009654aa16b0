import type { Role } from '#contract/access.ts'
import type { Profile } from '#contract/users.ts'
import type { PublicContext } from '#server/http/context.ts'
import { recordAudit } from '#server/operations/audit.ts'

/** Gives a person a role; call it in a transaction. The portal itself is the actor. */
export async function setRole(
  context: PublicContext,
  { person, role }: { person: Pick<Profile, 'user_id' | 'email'>; role: Role },
): Promise<void> {
  const before = await context.db
    .selectFrom('user_roles')
    .select('role')
    .where('user_id', '=', person.user_id)
    .executeTakeFirst()
  await context.db
    .insertInto('user_roles')
    .values({ user_id: person.user_id, role })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ role }))
    .execute()
  await recordAudit(context, {
    action: 'role-changed',
    target: person,
    before: { role: before?.role ?? 'user' },
    after: { role },
  })
}

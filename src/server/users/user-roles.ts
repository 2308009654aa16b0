import type { Role } from '#contract/access.ts'
import type { Profile } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { PublicContext } from '#server/http/context.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { withdrawInvitationsBy } from './invitations.ts'
import { queueAdministratorMail } from './mails.ts'

/**
 * Sets a role and notifies the other administrators; a demotion withdraws the person's invitations.
 * Call it in a transaction.
 */
export async function setRole(
  context: PublicContext,
  { person, role }: { person: Pick<Profile, 'user_id' | 'email'>; role: Role },
): Promise<void> {
  const before = await context.db
    .selectFrom('user_roles')
    .select('role')
    .where('user_id', '=', person.user_id)
    .executeTakeFirst()
  // Before the role changes, whose trigger withdraws them without an audit entry.
  if (before?.role === 'admin' && role !== 'admin') await withdrawInvitationsBy(context, [person.user_id])
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
  if ((before?.role ?? 'user') === role) return
  // No trigger: other columns raise the version. A dialog that shows the earlier role must conflict.
  await context.db
    .updateTable('profiles')
    .set(({ eb }) => ({ entitlement_version: eb('entitlement_version', '+', 1) }))
    .where('user_id', '=', person.user_id)
    .execute()
  await queueAdministratorMail(context, { kind: 'administrators-changed', exceptId: person.user_id })
}

/**
 * Locks all administrators, in a fixed order, until the transaction ends, so that two who demote
 * or delete each other leave one. @returns their ids
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

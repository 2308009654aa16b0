import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { eraseNames } from '#server/users/erase-names.ts'
import { dropInvitations } from '#server/users/invitations.ts'
import type { AccountContext } from './account-context.ts'
import { type EmailLink, limitUnknownLinks, lockLink } from './email-links.ts'
import { recordRecovery, requireLinkNext } from './factors.ts'
import { revokePassword } from './set-password.ts'

type Outcome = 'account-removed' | 'sessions-ended'

/**
 * Uses a 'não fui eu' link. From a verification mail it removes the account; from a notice it ends all
 * sessions, retires the password and mails a reset link.
 * @throws ProblemError invalid-link for a link that is unknown, used or expired; rate-limited
 */
export async function disownEmail(context: AccountContext, token: string): Promise<{ outcome: Outcome }> {
  await limitUnknownLinks(context, token)
  const outcome = await context.db.transaction().execute(async (db) => {
    const txContext = { ...context, db }
    const { purpose, owner, factor_id } = await lockLink(txContext, token, [
      'disown-account',
      'disown-change',
      'disown-factor',
    ])
    if (purpose === 'disown-account') return removeAccount(txContext, owner)
    // By another notice the mailbox alone would undo the second step.
    if (factor_id) await disownFactors(txContext, owner, factor_id)
    await revokePassword(txContext, owner, 'password-disowned')
    return 'sessions-ended'
  })
  return { outcome }
}

/**
 * Removes the factor that a link names, with its link, and all that were added after it, but for what
 * the owner added since a reset by a mailed link or an earlier use.
 */
async function disownFactors(context: PublicContext, owner: EmailLink['owner'], id: string): Promise<void> {
  const { db } = context
  const { rows: removed } = await sql<{ id: string }>`
    delete from factors f using factors named
    where named.id = ${id} and f.user_id = ${owner.user_id}
      and (f.id = named.id or coalesce(f.verified_at, 'infinity') >= named.verified_at and not exists (
        select from factor_settings s where s.user_id = f.user_id and s.recovered_at <= f.verified_at))
    returning f.id`.execute(db)
  await db.deleteFrom('recovery_codes').where('user_id', '=', owner.user_id).execute()
  await requireLinkNext(db, owner.user_id)
  await recordRecovery(context, owner.user_id)
  // A restore finds them by their ids.
  const before = { ids: removed.map(({ id }) => id) }
  await recordAudit(context, { action: 'factor-disowned', actor: owner, target: owner, before })
}

async function removeAccount(context: PublicContext, owner: EmailLink['owner']): Promise<Outcome> {
  const { db } = context
  const userId = owner.user_id
  if (owner.email_verified_at) throw new ProblemError('invalid-link')
  await db.deleteFrom('profiles').where('user_id', '=', userId).execute()
  await dropInvitations(context, [owner])
  // A person who disowns the account must not be named in the audit trail.
  await sql`update audit_entries set
      actor_email = case when actor_id = ${userId}::uuid then null else actor_email end,
      target_email = case when target_id = ${userId}::uuid then null else target_email end
    where actor_id = ${userId}::uuid or target_id = ${userId}::uuid`.execute(db)
  await eraseNames(db, [{ user_id: userId, email: owner.email, pseudonym: randomUUID() }])
  await recordAudit(context, { action: 'account-disowned', after: { userId } })
  return 'account-removed'
}

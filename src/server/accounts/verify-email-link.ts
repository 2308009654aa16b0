import type { Session } from '#contract/accounts.ts'
import type { Profile } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { setRole } from '#server/users/set-role.ts'
import { findProfile } from '#server/users/user-queries.ts'
import { hashOfLinkToken } from './mails.ts'
import { openSession, type SessionTools } from './open-session.ts'

export interface LinkRules {
  builtinAdminEmail: string | undefined
}

/**
 * Uses up the link of a verification or reset mail and opens a session for its owner: a full one, or one that
 * may only set a password.
 * @throws ProblemError invalid-link for a link that is unknown, used or expired
 */
export async function verifyEmailLink(
  db: Db,
  sessions: SessionTools,
  rules: LinkRules,
  link: { type: 'signup' | 'recovery'; token: string },
  request: RequestInfo,
): Promise<Session> {
  const at = new Date(sessions.clock())
  return db.transaction().execute(async (transaction) => {
    const owner = await useUpLink(transaction, link, at)
    if (link.type === 'recovery') return openSession(transaction, sessions, owner, 'recovery')
    if (!owner.email_verified_at) await confirmEmail(transaction, rules, owner, request, at)
    const profile = (await findProfile(transaction, owner.user_id)) as Profile
    return openSession(transaction, sessions, profile, 'full')
  })
}

async function useUpLink(
  db: Db,
  { type, token }: { type: 'signup' | 'recovery'; token: string },
  now: Date,
): Promise<Profile> {
  const link = await db
    .deleteFrom('email_links')
    .where('token_hash', '=', hashOfLinkToken(token))
    .where('purpose', '=', type)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst()
  const owner = link && (await findProfile(db, link.user_id))
  if (!owner) throw new ProblemError('invalid-link')
  // A mail that went out twice carries two good links: the first one used ends both.
  await db
    .deleteFrom('email_links')
    .where('user_id', '=', owner.user_id)
    .where('purpose', '=', type)
    .execute()
  return owner
}

/**
 * The first verification ends every earlier session: whoever opened one had not proved to own the address.
 * The built-in administrator is one from here on, never before.
 */
async function confirmEmail(
  db: Db,
  rules: LinkRules,
  owner: Profile,
  request: RequestInfo,
  at: Date,
): Promise<void> {
  const userId = owner.user_id
  await db.updateTable('profiles').set({ email_verified_at: at }).where('user_id', '=', userId).execute()
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  await db
    .deleteFrom('email_links')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'disown-account')
    .execute()
  await recordAudit(db, { action: 'email-verified', actor: owner, target: owner, request, at })
  if (owner.email !== rules.builtinAdminEmail) return
  await db.updateTable('profiles').set({ approved: true }).where('user_id', '=', userId).execute()
  await setRole({ db, request, clock: () => at.getTime() }, { person: owner, role: 'admin' })
}

import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { accountMails, hashOfLinkToken } from './mails.ts'
import { retireCurrent } from './remembered-passwords.ts'

type Outcome = 'account-removed' | 'sessions-ended'

/**
 * Uses a 'não fui eu' link up. That of a verification mail removes the account that somebody made with the
 * address; that of a notice ends all sessions, takes the password out of use and mails a reset link.
 * @throws ProblemError invalid-link for a link that is unknown, used or expired
 */
export async function disownEmail(
  db: Db,
  token: string,
  request: RequestInfo,
  at: Date,
): Promise<{ outcome: Outcome }> {
  const outcome = await db.transaction().execute(async (transaction) => {
    const link = await useUpLink(transaction, token, at)
    if (link.purpose === 'disown-account') return removeAccount(transaction, link.user_id, request, at)
    return shutOut(transaction, link.user_id, request, at)
  })
  return { outcome }
}

async function useUpLink(db: Db, token: string, now: Date) {
  const link = await db
    .deleteFrom('email_links')
    .where('token_hash', '=', hashOfLinkToken(token))
    .where('purpose', 'in', ['disown-account', 'disown-change'])
    .where('expires_at', '>', now)
    .returning(['user_id', 'purpose'])
    .executeTakeFirst()
  if (!link) throw new ProblemError('invalid-link')
  return link
}

async function removeAccount(db: Db, userId: string, request: RequestInfo, at: Date): Promise<Outcome> {
  const removed = await db
    .deleteFrom('profiles')
    .where('user_id', '=', userId)
    // Verifying cancels the link; of the two at once the first one counts.
    .where('email_verified_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
  if (!removed) throw new ProblemError('invalid-link')
  // Whoever says that they never had an account is not named in the trail either.
  await db
    .updateTable('audit_entries')
    .set(({ eb }) => ({
      actor_email: eb.case().when('actor_id', '=', userId).then(null).else(eb.ref('actor_email')).end(),
      target_email: eb.case().when('target_id', '=', userId).then(null).else(eb.ref('target_email')).end(),
    }))
    .where((eb) => eb.or([eb('actor_id', '=', userId), eb('target_id', '=', userId)]))
    .execute()
  await recordAudit(db, { action: 'account-disowned', after: { userId }, request, at })
  return 'account-removed'
}

async function shutOut(db: Db, userId: string, request: RequestInfo, at: Date): Promise<Outcome> {
  const person = await db
    .selectFrom('profiles')
    .select(['user_id', 'email'])
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!person) throw new ProblemError('invalid-link')
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  // Ending sessions alone would let whoever set the password sign in again.
  await retireCurrent(db, userId)
  await db
    .deleteFrom('email_links')
    .where('user_id', '=', userId)
    .where('purpose', 'in', ['recovery', 'disown-change'])
    .execute()
  await queueMail({ db }, accountMails, 'recovery', person.email)
  await recordAudit(db, { action: 'password-disowned', actor: person, target: person, request, at })
  return 'sessions-ended'
}

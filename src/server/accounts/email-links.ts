import type { Session } from '#contract/accounts.ts'
import type { Profile } from '#contract/users.ts'
import type { LinkPurpose } from '#server/database/schema.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { findProfile, lockProfile } from '#server/users/user-queries.ts'
import { setRole } from '#server/users/user-roles.ts'
import type { AccountContext } from './account-context.ts'
import { accountMails, hashOfLinkToken } from './mails.ts'
import { openSession } from './sessions.ts'
import { retirePassword } from './set-password.ts'

const MAILS_PER_IP = { max: 60, windowSeconds: 3600 }
const MAILS_PER_MINUTE = { max: 1, windowSeconds: 60 }
const MAILS_PER_HOUR = { max: 5, windowSeconds: 3600 }
const LINKS_PER_IP = { max: 30, windowSeconds: 300 }

/** The call that asks for each mail; its limits go by that name. */
const ACTIONS = { verification: 'resend', recovery: 'recover' } as const

type Outcome = 'account-removed' | 'sessions-ended'

type MailAction = 'sign-up' | 'resend' | 'recover'

/** Limits what makes the portal send a mail, by where it is asked from. @throws ProblemError rate-limited */
export function limitMailsFrom(
  { takeFromLimit, request }: AccountContext,
  action: MailAction,
): Promise<void> {
  return takeFromLimit(`${action} ${ipGroup(request.ip)}`, MAILS_PER_IP)
}

/**
 * Limits it by whom the mail would go to, whether or not there is such a person.
 * @param email in lower case
 * @throws ProblemError rate-limited
 */
export async function limitMailsTo(
  { takeFromLimit }: AccountContext,
  action: MailAction,
  email: string,
): Promise<void> {
  await takeFromLimit(`${action}-minute ${email}`, MAILS_PER_MINUTE)
  await takeFromLimit(`${action}-hour ${email}`, MAILS_PER_HOUR)
}

/**
 * Queues a verification or reset mail, whoever the e-mail belongs to: whether one goes out is decided when it
 * is sent, so known and unknown e-mails cost and answer the same.
 * @throws ProblemError rate-limited
 */
export async function requestLinkMail(
  context: AccountContext,
  { kind, email: typed }: { kind: keyof typeof ACTIONS; email: string },
): Promise<void> {
  const email = typed.toLowerCase()
  await limitMailsFrom(context, ACTIONS[kind])
  await limitMailsTo(context, ACTIONS[kind], email)
  await queueMail(context, accountMails, kind, email)
  context.nudgeOutbox()
}

/**
 * Uses up the link of a verification or reset mail and opens a session for its owner: a full one, or one that
 * may only set a password.
 * @throws ProblemError invalid-link for a link that is unknown, used or expired; rate-limited
 */
export async function verifyEmailLink(
  context: AccountContext,
  { type, token }: { type: 'signup' | 'recovery'; token: string },
): Promise<Session> {
  await context.takeFromLimit(`email-link ${ipGroup(context.request.ip)}`, LINKS_PER_IP)
  return context.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    const { user_id: userId } = await useUpLink(within, token, [type])
    const owner = await findProfile(db, userId)
    if (!owner) throw new ProblemError('invalid-link')
    // A mail that went out twice carries two good links: the first one used ends both.
    await cancelLinks(within, userId, [type])
    if (type === 'recovery') return openSession(within, { profile: owner, kind: 'recovery' })
    if (!owner.email_verified_at) await confirmEmail(within, owner)
    const profile = (await findProfile(db, userId)) as Profile
    return openSession(within, { profile, kind: 'full' })
  })
}

async function useUpLink({ db, clock }: PublicContext, token: string, purposes: LinkPurpose[]) {
  const link = await db
    .deleteFrom('email_links')
    .where('token_hash', '=', hashOfLinkToken(token))
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', new Date(clock()))
    .returning(['user_id', 'purpose'])
    .executeTakeFirst()
  if (!link) throw new ProblemError('invalid-link')
  return link
}

async function cancelLinks({ db }: PublicContext, userId: string, purposes: LinkPurpose[]): Promise<void> {
  await db.deleteFrom('email_links').where('user_id', '=', userId).where('purpose', 'in', purposes).execute()
}

/**
 * The first verification ends every earlier session: whoever opened one had not proved to own the e-mail.
 * The built-in administrator is one from here on, never before.
 */
async function confirmEmail(context: AccountContext, owner: Profile): Promise<void> {
  const { db, clock } = context
  const userId = owner.user_id
  const at = new Date(clock())
  await db.updateTable('profiles').set({ email_verified_at: at }).where('user_id', '=', userId).execute()
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  await cancelLinks(context, userId, ['disown-account'])
  await recordAudit(context, { action: 'email-verified', actor: owner, target: owner })
  if (owner.email !== context.builtinAdminEmail) return
  await db.updateTable('profiles').set({ approved: true }).where('user_id', '=', userId).execute()
  await setRole(context, { person: owner, role: 'admin' })
}

/**
 * Uses a 'não fui eu' link up. That of a verification mail removes the account that somebody made with the
 * e-mail; that of a notice ends all sessions, takes the password out of use and mails a reset link.
 * @throws ProblemError invalid-link for a link that is unknown, used or expired; rate-limited
 */
export async function disownEmail(context: AccountContext, token: string): Promise<{ outcome: Outcome }> {
  await context.takeFromLimit(`email-link ${ipGroup(context.request.ip)}`, LINKS_PER_IP)
  const outcome = await context.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    const { user_id: userId, purpose } = await useUpLink(within, token, ['disown-account', 'disown-change'])
    return purpose === 'disown-account' ? removeAccount(within, userId) : shutOut(within, userId)
  })
  context.nudgeOutbox()
  return { outcome }
}

async function removeAccount(context: PublicContext, userId: string): Promise<Outcome> {
  const { db } = context
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
  await recordAudit(context, { action: 'account-disowned', after: { userId } })
  return 'account-removed'
}

async function shutOut(context: PublicContext, userId: string): Promise<Outcome> {
  const { db } = context
  const person = await lockProfile(db, userId)
  if (!person) throw new ProblemError('invalid-link')
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  await db.deleteFrom('sign_in_devices').where('user_id', '=', userId).execute()
  // Ending sessions alone would let whoever knows the password sign in again.
  await retirePassword(db, userId)
  await cancelLinks(context, userId, ['recovery', 'disown-change'])
  await queueMail(context, accountMails, 'recovery', person.email)
  await recordAudit(context, { action: 'password-disowned', actor: person, target: person })
  return 'sessions-ended'
}

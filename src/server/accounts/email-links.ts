import type { Selectable } from 'kysely'
import type { AccountAction } from '#contract/user-accounts.ts'
import type { Db, LinkPurpose, ProfilesTable } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { applyInvitation } from '#server/users/invitations.ts'
import { lockProfile } from '#server/users/user-queries.ts'
import type { AccountContext } from './account-context.ts'
import { hashLinkToken } from './mails.ts'
import { deleteFactors } from './second-factor.ts'

/** High, because a dealership shares one IP address: at the limit, all its people wait for minutes. */
const MAILS_PER_IP = { max: 60, windowSeconds: 300, perIp: 'kept' } as const
/** Sign-ups pass a human check, and each costs a hash. */
const SIGN_UPS_PER_IP = { max: 60, windowSeconds: 3600, perIp: 'kept' } as const
const MAILS_PER_MINUTE = { max: 1, windowSeconds: 60 }
const MAILS_PER_HOUR = { max: 5, windowSeconds: 3600 }
/** For links that are unknown or expired. */
export const UNKNOWN_LINKS_PER_IP = { max: 60, windowSeconds: 300, perIp: 'kept' } as const

/** Name of the call that requests each mail, used in rate limit keys. */
const ACTIONS = { verification: 'resend', recovery: 'recover' } as const

type MailAction = 'sign-up' | 'resend' | 'recover' | 'factor-link' | 'microsoft'
/** Apart, so that strangers' requests do not use up those of administrators. */
type HelpAction = `help-${AccountAction}`

/** Limits mails by the caller's IP address. @throws ProblemError rate-limited */
export function limitMailsPerIp(
  { consumeRateLimit, request }: AccountContext,
  action: Exclude<MailAction, 'factor-link'>,
): Promise<void> {
  const limit = action === 'sign-up' ? SIGN_UPS_PER_IP : MAILS_PER_IP
  return consumeRateLimit(`${action} ${toIpPrefix(request.ip)}`, limit)
}

/**
 * Limits mails by recipient, whether or not it has an account.
 * @param email in lower case
 * @throws ProblemError rate-limited
 */
export async function limitMailsPerRecipient(
  { consumeRateLimit }: Pick<AccountContext, 'consumeRateLimit'>,
  action: MailAction | HelpAction,
  email: string,
): Promise<void> {
  await consumeRateLimit(`${action}-minute ${email}`, MAILS_PER_MINUTE)
  await consumeRateLimit(`${action}-hour ${email}`, MAILS_PER_HOUR)
}

/**
 * Queues a verification or reset mail. Whether one is sent is decided later, so that known and unknown
 * e-mails cost and answer the same.
 * @throws ProblemError rate-limited
 */
export async function requestLinkMail(
  context: AccountContext,
  { kind, email: typed }: { kind: keyof typeof ACTIONS; email: string },
): Promise<void> {
  const email = typed.toLowerCase()
  await limitMailsPerIp(context, ACTIONS[kind])
  await limitMailsPerRecipient(context, ACTIONS[kind], email)
  await queueMail(context, kind, email)
}

/**
 * Limits attempts with unknown links per IP address. Call it before the transaction that uses the
 * link: a refusal would roll the count back.
 * @throws ProblemError rate-limited
 */
export async function limitUnknownLinks(
  { db, clock, consumeRateLimit, request }: AccountContext,
  token: string,
): Promise<void> {
  const isKnown = async () => {
    const known = await db
      .selectFrom('email_links')
      .select('purpose')
      .where('token_hash', '=', hashLinkToken(token))
      .where('expires_at', '>', new Date(clock()))
      .executeTakeFirst()
    return known !== undefined
  }
  await consumeRateLimit(`email-link ${toIpPrefix(request.ip)}`, UNKNOWN_LINKS_PER_IP, isKnown)
}

/** A mailed link that is still valid. */
export interface EmailLink {
  token_hash: Uint8Array
  purpose: LinkPurpose
  expires_at: Date
  factor_id: string | null
  owner: Selectable<ProfilesTable>
}

/**
 * Finds the link of a token and locks its owner's row, in a transaction. The lock serializes
 * concurrent uses of one person's links.
 * @throws ProblemError invalid-link for a link that is unknown, used or expired
 */
export async function lockLink(
  { db, clock }: PublicContext,
  token: string,
  purposes: LinkPurpose[],
): Promise<EmailLink> {
  const find = () =>
    db
      .selectFrom('email_links')
      .selectAll()
      .where('token_hash', '=', hashLinkToken(token))
      .where('purpose', 'in', purposes)
      .where('expires_at', '>', new Date(clock()))
      .executeTakeFirst()
  const found = await find()
  const owner = found?.user_id && (await lockProfile(db, found.user_id))
  // Read again: a concurrent request may have used it before the lock.
  const link = owner && (await find())
  if (!link) throw new ProblemError('invalid-link')
  return { ...link, owner }
}

/** Deletes a person's links, used or not; a mail that was sent twice leaves two valid ones. */
export async function cancelLinks(db: Db, userId: string, purposes: LinkPurpose[]): Promise<void> {
  await db.deleteFrom('email_links').where('user_id', '=', userId).where('purpose', 'in', purposes).execute()
}

/**
 * Marks an e-mail as verified, applies its invitation, and invalidates what was mailed about it; used
 * verification links are kept, so that a second click can be answered. Lock the catalogue first.
 */
export async function markVerified(context: PublicContext, userId: string): Promise<void> {
  const { db, clock } = context
  const at = new Date(clock())
  const person = await db
    .updateTable('profiles')
    .set({ email_verified_at: at })
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
  if (person) await applyInvitation(context, person)
  await db.deleteFrom('sign_ups').where('user_id', '=', userId).execute()
  await deleteFactors(db, userId)
  await db.deleteFrom('identities').where('user_id', '=', userId).execute()
  // A browser that only knew the password of the sign-up does not count as known.
  await db.deleteFrom('sign_in_devices').where('user_id', '=', userId).execute()
  await cancelLinks(db, userId, ['disown-account'])
  await db
    .updateTable('email_links')
    .set({ purpose: 'signup-used' })
    .where('user_id', '=', userId)
    .where('purpose', '=', 'signup')
    .execute()
}

import type { Selectable } from 'kysely'
import type { LinkState, Session } from '#contract/accounts.ts'
import { checkPassword, forcedChangeFormSchema } from '#contract/passwords.ts'
import type { Profile } from '#contract/users.ts'
import { lockCatalogue } from '#server/catalogue/catalogue.ts'
import type { ProfilesTable, Tables } from '#server/database/schema.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { clearUnverifiedRequest } from '#server/users/access-requests.ts'
import { dropInvitations, grantInvitation, isDecidedSince } from '#server/users/invitations.ts'
import { findProfile } from '#server/users/user-queries.ts'
import type { AccountContext } from './account-context.ts'
import { limitUnknownLinks, markVerified } from './email-links.ts'
import { hashLinkToken, isInvitationOver } from './mails.ts'
import { hashNewPassword } from './password-hashing.ts'
import { rejectGuessablePassword } from './password-rules.ts'
import { openSession } from './sessions.ts'
import { consumeResetLimit, revokeUnverifiedAccess, writePassword } from './set-password.ts'
import { rejectPasswords } from './sign-in.ts'
import { clearFailures } from './sign-in-attempts.ts'

type Invitation = Selectable<Tables['invitations']>

/**
 * Returns an invitation's e-mail without using it. @throws ProblemError invalid-link, rate-limited
 */
export async function previewInvitation(context: AccountContext, token: string): Promise<LinkState> {
  await limitUnknownLinks(context, token)
  const { email } = await findInvitation(context, token)
  return { email, state: 'asks-password' }
}

/**
 * Accepts an invitation: its owner gets a verified, approved account with the invited access. Whatever
 * was done with the address before is discarded.
 * @throws ProblemError invalid-link for a link that is unknown, used, expired, withdrawn or
 *   older than a decision about the account; password-rejected with the broken rule as detail, which
 *   does not use the link; rate-limited
 */
export async function acceptInvitation(
  context: AccountContext,
  { token, password = '' }: { token: string; password: string | undefined },
): Promise<Session> {
  await limitUnknownLinks(context, token)
  const { id, email } = await findInvitation(context, token)
  rejectPasswords(context, email)
  const fault = checkPassword(forcedChangeFormSchema, password)
  if (fault) throw new ProblemError('password-rejected', { detail: fault })
  await consumeResetLimit(context, id)
  await rejectGuessablePassword(context, { password, email })
  // Hashing takes long: the link is used later, in the transaction that writes the password.
  const hash = await hashNewPassword(context, password)
  const session = await context.db.transaction().execute(async (db) => {
    const txContext = { ...context, db }
    await lockCatalogue(db)
    const person = await lockAccount(txContext, email)
    const invitation = await findInvitation(txContext, token, true)
    if (person.email_verified_at) throw new ProblemError('invalid-link')
    if (await isDecidedSince(db, person, invitation.invited_at)) {
      await dropInvitations(txContext, [person], 'decided')
      return undefined
    }
    const userId = person.user_id
    await revokeUnverifiedAccess(db, userId)
    await clearUnverifiedRequest(db, userId)
    await clearFailures(db, email)
    await grantInvitation(txContext, person, invitation)
    await markVerified(txContext, userId)
    const device_token = await writePassword(txContext, person, hash)
    const profile = (await findProfile(db, userId)) as Profile
    const opening = { profile, kind: 'full', by: 'password', isByMailedLink: true } as const
    return { ...(await openSession(txContext, opening)), device_token }
  })
  if (!session) throw new ProblemError('invalid-link')
  return session
}

/**
 * @param lock whether to lock it until the transaction ends; lock its account first
 * @throws ProblemError invalid-link
 */
async function findInvitation(
  { db, clock }: PublicContext,
  token: string,
  lock = false,
): Promise<Invitation> {
  const at = new Date(clock())
  const invitation = await db
    .selectFrom('invitations')
    .selectAll()
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('email_links')
        .select('invitation_id')
        .where('token_hash', '=', hashLinkToken(token))
        .where('purpose', '=', 'invitation')
        .where('expires_at', '>', at),
    )
    .where('withdrawn_at', 'is', null)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  if (!invitation || isInvitationOver(invitation, at.getTime())) throw new ProblemError('invalid-link')
  return invitation
}

/** Locks the account of an address until the transaction ends; creates it if there is none. */
export async function lockAccount(
  { db, clock }: PublicContext,
  email: string,
): Promise<Selectable<ProfilesTable>> {
  await db
    .insertInto('profiles')
    .values({ email, created_at: new Date(clock()) })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute()
  return db
    .selectFrom('profiles')
    .selectAll()
    .where('email', '=', email)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

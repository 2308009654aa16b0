import { sql } from 'kysely'
import type { AuthUser } from '#contract/accounts.ts'
import {
  changePasswordFormSchema,
  checkPassword,
  createResetFormSchema,
  forcedChangeFormSchema,
  passwordMessages,
  REMEMBERED_PASSWORDS,
} from '#contract/passwords.ts'
import type { Profile } from '#contract/users.ts'
import { lockCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { clearUnverifiedRequest } from '#server/users/access-requests.ts'
import { findProfile, lockProfile } from '#server/users/user-queries.ts'
import type { AccountContext, OwnAccountContext } from './account-context.ts'
import { cancelLinks, markVerified } from './email-links.ts'
import { recordRecovery } from './factors.ts'
import { hashNewPassword, isPasswordRight } from './password-hashing.ts'
import { rejectGuessablePassword } from './password-rules.ts'
import { deleteFactors } from './second-factor.ts'
import { presentAuthUser } from './sessions.ts'
import { rememberDevice } from './sign-in.ts'
import { clearFailures } from './sign-in-attempts.ts'

const CHANGE_LIMIT = { max: 5, windowSeconds: 15 * 60 }
const RESET_LIMIT = { max: 10, windowSeconds: 15 * 60 }

/**
 * Changes a signed-in person's password and mails a notice. The session continues, in full even if it
 * owed the change; all others end.
 * @returns the broken rule as `error`, in Portuguese
 * @throws ProblemError password-rejected for a common, leaked or personal password; rate-limited;
 *   unauthenticated if the session ended meanwhile
 */
export async function changePassword(
  context: OwnAccountContext,
  password: string,
): Promise<{ success?: boolean; error?: string; device_token?: string }> {
  const { profile, sessionKind } = context.actor
  const form = sessionKind === 'forcedChange' ? forcedChangeFormSchema : changePasswordFormSchema
  const fault = checkPassword(form, password)
  if (fault) return { error: fault }
  await context.consumeRateLimit(`change-password ${profile.user_id}`, CHANGE_LIMIT)
  const done = await replacePassword(context, {
    person: profile,
    password,
    action: 'password-changed',
    alongside: endOtherSessions,
  })
  return done ?? { error: passwordMessages.reused }
}

async function endOtherSessions({ db, actor }: Context): Promise<{ success: true }> {
  const { profile, sessionId } = actor
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', profile.user_id)
    .where('id', '!=', sessionId)
    .execute()
  const kept = await db
    .updateTable('sessions')
    .set({ kind: 'full' })
    .where('id', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
  // The session was ended while the passwords were compared, which takes precedence.
  if (!kept) throw new ProblemError('unauthenticated')
  return { success: true }
}

/**
 * Sets the password in a session from a reset link and mails a notice. Ends every session, including
 * this one, and clears lockouts.
 * @throws ProblemError forbidden for any other session; password-rejected with the broken rule as
 *   detail; rate-limited; unauthenticated if the session ended meanwhile
 */
export async function resetPassword(
  context: OwnAccountContext,
  password: string,
): Promise<AuthUser & { device_token: string }> {
  const { profile, sessionId, sessionKind } = context.actor
  const userId = profile.user_id
  if (sessionKind !== 'recovery')
    throw new ProblemError('forbidden', {
      detail: 'Para trocar sua senha, use Alterar Senha em Minha Conta.',
    })
  const fault = checkPassword(createResetFormSchema(), password)
  if (fault) throw new ProblemError('password-rejected', { detail: fault })
  await consumeResetLimit(context, userId)
  const user = await replacePassword(context, {
    person: profile,
    password,
    action: 'password-reset',
    async alongside(txContext) {
      const ended = await endSessionsOnReset(txContext, profile)
      // The session was used or ended while the passwords were compared: a link works once.
      if (!ended.includes(sessionId)) throw new ProblemError('unauthenticated')
      return presentAuthUser(txContext, (await findProfile(txContext.db, userId)) ?? profile, 'full')
    },
  })
  if (!user) throw new ProblemError('password-rejected', { detail: passwordMessages.reused })
  return user
}

/** Limits passwords tried with one person's links and reset sessions. @throws ProblemError rate-limited */
export function consumeResetLimit({ consumeRateLimit }: AccountContext, userId: string): Promise<void> {
  return consumeRateLimit(`reset-password ${userId}`, RESET_LIMIT)
}

/**
 * Ends every session and lockout after a reset through a mailed link, which also verifies the address.
 * @returns the ids of the ended sessions
 */
export async function endSessionsOnReset(
  context: AccountContext,
  { user_id: userId, email }: Person,
): Promise<string[]> {
  const { db } = context
  const ended = await db.deleteFrom('sessions').where('user_id', '=', userId).returning('id').execute()
  await clearFailures(db, email)
  await cancelLinks(db, userId, ['disown-change', 'disown-factor'])
  await recordRecovery(context, userId)
  const person = await findProfile(db, userId)
  if (!person?.email_verified_at) {
    await deletePassword(db, userId)
    await clearUnverifiedRequest(db, userId)
    // Only the verification link promotes the built-in administrator.
    if (email !== context.builtinAdminEmail) await markVerified(context, userId)
  }
  return ended.map(({ id }) => id)
}

type Person = Pick<Profile, 'user_id' | 'email'>

interface Replacement<C, T> {
  person: Person
  password: string
  action: 'password-changed' | 'password-reset'
  /** First password known to be the owner's: the present one may be reused, and is deleted. */
  isFirst?: boolean
  /** Further writes in the same transaction; the person's row is locked. */
  alongside: (context: C) => Promise<T>
}

/**
 * Sets a new password unless it is one of the last five. Hashing takes long, so it happens before the
 * transaction, which retries if the stored hashes changed meanwhile.
 * @returns the result of `alongside` plus a device token; undefined for one of the last five
 * @throws ProblemError unauthenticated if the person is gone, password-rejected
 */
export async function replacePassword<C extends AccountContext, T extends object>(
  context: C,
  replacement: Replacement<C, T>,
): Promise<(T & { device_token: string }) | undefined> {
  const { person, password, action, isFirst = false, alongside } = replacement
  const { user_id: userId, email } = person
  let hash: string | undefined
  for (;;) {
    const checked = await listRecentHashes(context.db, userId, isFirst)
    for (const remembered of checked) if (await isPasswordRight(remembered, password)) return undefined
    // After the history check, whose message is more specific.
    await rejectGuessablePassword(context, { password, email })
    hash ??= await hashNewPassword(context, password)
    const encoded = hash
    const done = await context.db.transaction().execute(async (db) => {
      const txContext = { ...context, db }
      // Before the profile, as everywhere: the password may come with an invitation.
      await lockCatalogue(db)
      if (!(await lockProfile(db, userId))) throw new ProblemError('unauthenticated')
      const remembered = await listRecentHashes(db, userId, isFirst)
      if (remembered.join() !== checked.join()) return undefined
      const result = await alongside(txContext)
      if (isFirst) await deletePassword(db, userId)
      const device_token = await writePassword(txContext, person, encoded)
      // Of a new account there was no password to change.
      if (!isFirst) await queueMail(txContext, 'password-changed', email)
      await recordAudit(txContext, { action, actor: person, target: person })
      return { ...result, device_token }
    })
    if (done === undefined) continue
    return done
  }
}

/**
 * Replaces a person's password and removes known devices; call it in a transaction.
 * @returns the device token of the browser that sets it
 */
export async function writePassword(context: AccountContext, person: Person, hash: string): Promise<string> {
  const { db, clock } = context
  const userId = person.user_id
  await archivePassword(db, userId)
  await db.deleteFrom('sign_in_devices').where('user_id', '=', userId).execute()
  await db
    .insertInto('passwords')
    .values({ user_id: userId, hash, changed_at: new Date(clock()) })
    .execute()
  // Reset links are no longer needed.
  await cancelLinks(db, userId, ['recovery'])
  return rememberDevice(context, person)
}

/** Deletes passwords, factors and Microsoft accounts from before the address was verified. */
export async function deletePassword(db: Db, userId: string): Promise<void> {
  await deleteFactors(db, userId)
  await db.deleteFrom('identities').where('user_id', '=', userId).execute()
  await db.deleteFrom('password_history').where('user_id', '=', userId).execute()
  await db.deleteFrom('passwords').where('user_id', '=', userId).execute()
}

/**
 * Revokes access to an account with an unverified address: password, sessions, and links that confirm
 * the sign-up or reset the password.
 */
export async function revokeUnverifiedAccess(db: Db, userId: string): Promise<void> {
  await deletePassword(db, userId)
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  await db.deleteFrom('sign_in_devices').where('user_id', '=', userId).execute()
  await cancelLinks(db, userId, ['signup', 'recovery'])
  // As after a second sign-up: confirming the address later requires a new password.
  await sql`update sign_ups set count = count + 1, mark_hash = null where user_id = ${userId}`.execute(db)
}

/**
 * Retires a password that may be known to a stranger, ends all sessions, and mails a link for a new
 * one; call it in a transaction. It is the person's own act after 'não fui eu'.
 */
export async function revokePassword(
  context: PublicContext,
  person: Person,
  action: 'password-disowned' | 'password-revoked',
): Promise<void> {
  const { db } = context
  const userId = person.user_id
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  await db.deleteFrom('sign_in_devices').where('user_id', '=', userId).execute()
  // Ending sessions is not enough: with the password, or a linked account, one could sign in again.
  await db.deleteFrom('identities').where('user_id', '=', userId).execute()
  await archivePassword(db, userId)
  await cancelLinks(db, userId, ['recovery', 'disown-change'])
  await queueMail(context, 'recovery', person.email)
  const actor = action === 'password-disowned' ? { actor: person } : {}
  await recordAudit(context, { action, target: person, ...actor })
}

/** Returns hashes of the passwords that may not be reused, newest first. */
async function listRecentHashes(db: Db, userId: string, isFirst: boolean): Promise<string[]> {
  const current = isFirst
    ? []
    : await db.selectFrom('passwords').select('hash').where('user_id', '=', userId).execute()
  const earlier = await db
    .selectFrom('password_history')
    .select('hash')
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(REMEMBERED_PASSWORDS)
    .execute()
  return [...current, ...earlier].map(({ hash }) => hash).slice(0, REMEMBERED_PASSWORDS)
}

/** Moves the current password to the history and deletes the oldest entry. */
export async function archivePassword(db: Db, userId: string): Promise<void> {
  const [current] = await db
    .deleteFrom('passwords')
    .where('user_id', '=', userId)
    .returning(['user_id', 'hash', 'changed_at'])
    .execute()
  if (!current) return
  await db.insertInto('password_history').values(current).execute()
  await db
    .deleteFrom('password_history')
    .where('user_id', '=', userId)
    .where('id', 'not in', ({ selectFrom }) =>
      selectFrom('password_history')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(REMEMBERED_PASSWORDS),
    )
    .execute()
}

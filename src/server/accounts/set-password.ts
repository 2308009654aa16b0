import type { AuthUser } from '#contract/accounts.ts'
import {
  changePasswordFormSchema,
  forcedChangeFormSchema,
  passwordFault,
  passwordMessages,
  REMEMBERED_PASSWORDS,
  resetPasswordFormSchema,
} from '#contract/passwords.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { findProfile, lockProfile } from '#server/users/user-queries.ts'
import type { OwnAccountContext } from './account-context.ts'
import { accountMails } from './mails.ts'
import { hashPassword, isPasswordRight } from './password-hashing.ts'
import { refuseGuessable } from './password-rules.ts'
import { presentAuthUser } from './sessions.ts'
import { forgetAttempts } from './sign-in-attempts.ts'

const CHANGE_LIMIT = { max: 5, windowSeconds: 15 * 60 }
const RESET_LIMIT = { max: 10, windowSeconds: 15 * 60 }

/**
 * Changes a signed-in person's password. The session goes on, in full even if it owed the change; the others end.
 * A notice is mailed.
 * @returns the rule that it breaks as error, in words fit to show
 * @throws ProblemError password-rejected for a common, leaked or personal one; rate-limited; unauthenticated
 *   when the session has ended in the meantime
 */
export async function changePassword(
  context: OwnAccountContext,
  password: string,
): Promise<{ success?: boolean; error?: string }> {
  const { profile, sessionKind } = context.actor
  const form = sessionKind === 'forcedChange' ? forcedChangeFormSchema : changePasswordFormSchema
  const fault = passwordFault(form, password)
  if (fault) return { error: fault }
  await context.takeFromLimit(`change-password ${profile.user_id}`, CHANGE_LIMIT)
  const isReplaced = await replacePassword(context, {
    password,
    action: 'password-changed',
    alongside: keepOnlySession,
  })
  return isReplaced ? { success: true } : { error: passwordMessages.reused }
}

async function keepOnlySession({ db, actor }: Context): Promise<void> {
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
  // It was ended while the passwords were compared: whoever ended it must win.
  if (!kept) throw new ProblemError('unauthenticated')
}

/**
 * Sets the password of a session that came from a reset link. Every session ends with it, this one included, and
 * lock-outs are forgotten. A notice is mailed.
 * @throws ProblemError forbidden for any other session; password-rejected with the broken rule as detail;
 *   rate-limited; unauthenticated when the session has ended in the meantime
 */
export async function resetPassword(context: OwnAccountContext, password: string): Promise<AuthUser> {
  const { profile, sessionId, sessionKind } = context.actor
  if (sessionKind !== 'recovery')
    throw new ProblemError('forbidden', {
      detail: 'Para trocar sua senha, use Alterar Senha em Minha Conta.',
    })
  const fault = passwordFault(resetPasswordFormSchema, password)
  if (fault) throw new ProblemError('password-rejected', { detail: fault })
  await context.takeFromLimit(`reset-password ${sessionId}`, RESET_LIMIT)
  const isReplaced = await replacePassword(context, {
    password,
    action: 'password-reset',
    alongside: endSessions,
  })
  if (!isReplaced) throw new ProblemError('password-rejected', { detail: passwordMessages.reused })
  return presentAuthUser((await findProfile(context.db, profile.user_id)) ?? profile, 'full')
}

async function endSessions({ db, clock, actor, builtinAdminEmail }: OwnAccountContext): Promise<void> {
  const { user_id: userId, email } = actor.profile
  const ended = await db.deleteFrom('sessions').where('user_id', '=', userId).returning('id').execute()
  // It was used or ended while the passwords were compared: a link serves once.
  if (!ended.some(({ id }) => id === actor.sessionId)) throw new ProblemError('unauthenticated')
  await forgetAttempts(db, email)
  // The mailed link proves it. The built-in administrator becomes one by the verification link alone.
  if (email === builtinAdminEmail) return
  await db
    .updateTable('profiles')
    .set({ email_verified_at: new Date(clock()) })
    .where('user_id', '=', userId)
    .where('email_verified_at', 'is', null)
    .execute()
  await db
    .deleteFrom('email_links')
    .where('user_id', '=', userId)
    .where('purpose', 'in', ['signup', 'disown-account'])
    .execute()
}

interface Replacement {
  password: string
  action: 'password-changed' | 'password-reset'
  /** What else changes with the password, in the same transaction. */
  alongside: (context: OwnAccountContext) => Promise<void>
}

/**
 * Sets a new password unless it is one of the last five. Hashing takes long, so it is done before the
 * transaction; under the lock on the person's row it only counts when the remembered hashes are still those
 * that were checked, and otherwise is done again.
 * @returns false for one of the last five
 * @throws ProblemError unauthenticated when the person is gone, password-rejected
 */
async function replacePassword(context: OwnAccountContext, replacement: Replacement): Promise<boolean> {
  const { password, action, alongside } = replacement
  const { profile } = context.actor
  let hash: string | undefined
  for (;;) {
    const checked = await readRemembered(context.db, profile.user_id)
    for (const remembered of checked) if (await isPasswordRight(remembered, password)) return false
    // Asked after the history, whose answer says more.
    await refuseGuessable(context, { password, email: profile.email })
    hash ??= await hashPassword(password)
    const encoded = hash
    const isReplaced = await context.db.transaction().execute(async (db) => {
      const within = { ...context, db }
      if (!(await lockProfile(db, profile.user_id))) throw new ProblemError('unauthenticated')
      const remembered = await readRemembered(db, profile.user_id)
      if (remembered.join() !== checked.join()) return false
      await writePassword(within, encoded)
      await alongside(within)
      await queueMail(within, accountMails, 'password-changed', profile.email)
      await recordAudit(within, { action, target: profile })
      return true
    })
    if (isReplaced) break
  }
  context.nudgeOutbox()
  return true
}

async function writePassword({ db, clock, actor }: Context, hash: string): Promise<void> {
  const userId = actor.profile.user_id
  await retirePassword(db, userId)
  await db
    .insertInto('passwords')
    .values({ user_id: userId, hash, changed_at: new Date(clock()) })
    .execute()
  // Asked for to set a password: that is done.
  await db.deleteFrom('email_links').where('user_id', '=', userId).where('purpose', '=', 'recovery').execute()
}

/** Hashes of the passwords that may not come back: the current one and those before it, newest first. */
async function readRemembered(db: Db, userId: string): Promise<string[]> {
  const current = await db.selectFrom('passwords').select('hash').where('user_id', '=', userId).execute()
  const earlier = await db
    .selectFrom('password_history')
    .select('hash')
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(REMEMBERED_PASSWORDS)
    .execute()
  return [...current, ...earlier].map(({ hash }) => hash).slice(0, REMEMBERED_PASSWORDS)
}

/** Moves the current password, if there is one, to those before it, and forgets the oldest. */
export async function retirePassword(db: Db, userId: string): Promise<void> {
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

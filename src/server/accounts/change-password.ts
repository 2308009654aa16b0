import { PASSWORD_MAX, PASSWORD_MIN, passwordMessages } from '#contract/passwords.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { accountMails } from './mails.ts'
import { refuseGuessable } from './refuse-guessable.ts'
import { replacePassword } from './replace-password.ts'

const LIMIT = { max: 5, windowSeconds: 15 * 60 }

export interface PasswordDeps {
  db: Db
  groupName: string
  takeFromLimit: TakeFromLimit
  /** ms since the epoch */
  clock: () => number
  /** Tells the outbox that a mail waits. */
  nudgeOutbox: () => void
}

/** The first rule of length that a new password breaks, in the words of the form that asked for it. */
function lengthFault(password: string, isForced: boolean): string | undefined {
  if (password.length < PASSWORD_MIN)
    return isForced ? passwordMessages.forcedTooShort : passwordMessages.changeTooShort
  if (password.length > PASSWORD_MAX)
    return isForced ? passwordMessages.forcedTooLong : passwordMessages.changeTooLong
  return undefined
}

/**
 * Changes a signed-in person's password (SPEC section 5). The session goes on, in full even if it owed the
 * change; the others end. A notice is mailed.
 * @returns the rule that it breaks as error, in words fit to show
 * @throws ProblemError password-rejected for a common, leaked or personal one; rate-limited; unauthenticated
 *   when the session has ended in the meantime
 */
export async function changePassword(
  deps: PasswordDeps,
  actor: Actor,
  password: string,
  request: RequestInfo,
): Promise<{ success?: boolean; error?: string }> {
  const { profile, sessionId } = actor
  const fault = lengthFault(password, actor.sessionKind === 'forcedChange')
  if (fault) return { error: fault }
  await deps.takeFromLimit(`change-password ${profile.user_id}`, LIMIT)
  const about = { email: profile.email, groupName: deps.groupName }
  const replacement = { userId: profile.user_id, password, at: new Date(deps.clock()) }
  const outcome = await replacePassword(deps.db, replacement, {
    refuse: () => refuseGuessable(password, about),
    async alongside(transaction) {
      await keepOnlySession(transaction, profile.user_id, sessionId)
      await queueMail({ db: transaction }, accountMails, 'password-changed', profile.email)
      await recordAudit(transaction, {
        action: 'password-changed',
        actor: profile,
        target: profile,
        request,
        at: replacement.at,
      })
    },
  })
  if (outcome === 'reused') return { error: passwordMessages.reused }
  deps.nudgeOutbox()
  return { success: true }
}

async function keepOnlySession(db: Db, userId: string, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', sessionId).execute()
  const kept = await db
    .updateTable('sessions')
    .set({ kind: 'full' })
    .where('id', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
  // It was ended while the passwords were compared: whoever ended it must win.
  if (!kept) throw new ProblemError('unauthenticated')
}

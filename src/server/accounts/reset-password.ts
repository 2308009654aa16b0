import type { AuthUser } from '#contract/accounts.ts'
import {
  PASSWORD_MAX,
  passwordMessages,
  RESET_PASSWORD_MIN,
  RESET_STRENGTH_MIN,
  rateStrength,
} from '#contract/passwords.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { findProfile } from '#server/users/user-queries.ts'
import type { PasswordDeps } from './change-password.ts'
import { accountMails } from './mails.ts'
import { presentAuthUser } from './open-session.ts'
import { refuseGuessable } from './refuse-guessable.ts'
import { replacePassword } from './replace-password.ts'
import { forgetAttempts } from './reserve-attempt.ts'

const LIMIT = { max: 10, windowSeconds: 15 * 60 }

export interface ResetDeps extends PasswordDeps {
  builtinAdminEmail: string | undefined
}

/**
 * Sets the password of a session that came from a reset link (SPEC section 5). Every session ends with it,
 * this one included, and lock-outs are forgotten. A notice is mailed.
 * @throws ProblemError forbidden for any other session; password-rejected with the broken rule as detail;
 *   rate-limited; unauthenticated when the session has ended in the meantime
 */
export async function resetPassword(
  deps: ResetDeps,
  actor: Actor,
  password: string,
  request: RequestInfo,
): Promise<AuthUser> {
  const { profile, sessionId } = actor
  if (actor.sessionKind !== 'recovery')
    throw new ProblemError('forbidden', {
      detail: 'Para trocar sua senha, use Alterar Senha em Minha Conta.',
    })
  refuseByForm(password)
  await deps.takeFromLimit(`reset-password ${sessionId}`, LIMIT)
  const about = { email: profile.email, groupName: deps.groupName }
  const at = new Date(deps.clock())
  const outcome = await replacePassword(
    deps.db,
    { userId: profile.user_id, password, at },
    {
      refuse: () => refuseGuessable(password, about),
      async alongside(transaction) {
        await endSessions(transaction, profile.user_id, sessionId)
        await forgetAttempts(transaction, profile.email)
        // The mailed link proves it. The built-in address becomes administrator by its verification link alone.
        if (profile.email !== deps.builtinAdminEmail) await markVerified(transaction, profile.user_id, at)
        await queueMail({ db: transaction }, accountMails, 'password-changed', profile.email)
        await recordAudit(transaction, {
          action: 'password-reset',
          actor: profile,
          target: profile,
          request,
          at,
        })
      },
    },
  )
  if (outcome === 'reused') throw new ProblemError('password-rejected', { detail: passwordMessages.reused })
  deps.nudgeOutbox()
  return presentAuthUser((await findProfile(deps.db, profile.user_id)) ?? profile, 'full')
}

function refuseByForm(password: string): void {
  const refuse = (detail: string) => new ProblemError('password-rejected', { detail })
  if (password.length < RESET_PASSWORD_MIN) throw refuse(passwordMessages.resetTooShort)
  // Nobody could sign in with it.
  if (password.length > PASSWORD_MAX) throw refuse(passwordMessages.forcedTooLong)
  if (rateStrength(password).score < RESET_STRENGTH_MIN) throw refuse(passwordMessages.weakDetail)
}

async function endSessions(db: Db, userId: string, sessionId: string): Promise<void> {
  const ended = await db.deleteFrom('sessions').where('user_id', '=', userId).returning('id').execute()
  // It was used or ended while the passwords were compared: a link serves once.
  if (!ended.some(({ id }) => id === sessionId)) throw new ProblemError('unauthenticated')
}

async function markVerified(db: Db, userId: string, at: Date): Promise<void> {
  await db
    .updateTable('profiles')
    .set({ email_verified_at: at })
    .where('user_id', '=', userId)
    .where('email_verified_at', 'is', null)
    .execute()
  await db
    .deleteFrom('email_links')
    .where('user_id', '=', userId)
    .where('purpose', 'in', ['signup', 'disown-account'])
    .execute()
}

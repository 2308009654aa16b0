import type { Role } from '#contract/access.ts'
import type { AccountAction } from '#contract/user-accounts.ts'
import type { Profile } from '#contract/users.ts'
import { limitMailsPerRecipient } from '#server/accounts/email-links.ts'
import { resetFactors } from '#server/accounts/factors.ts'
import { recordSessionsEnded } from '#server/accounts/sessions.ts'
import { clearAllFailures } from '#server/accounts/sign-in-attempts.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { createConflictError } from './change-user.ts'
import { lockProfile, presentProfile, readProfile } from './user-queries.ts'
import { lockAdministrators, setRole } from './user-roles.ts'

export interface UserAccountContext extends Context {
  consumeRateLimit: ConsumeRateLimit
}

type Help = (context: Context, person: Profile, version: number) => Promise<void>

const HELP: Record<AccountAction, Help> = {
  async 'send-reset'(context, person) {
    await queueMail(context, 'recovery', person.email)
    await recordAudit(context, { action: 'reset-link-sent', target: person })
  },
  async unlock(context, person) {
    await clearAllFailures(context.db, person.email)
    await queueMail(context, 'account-unlocked', person.email)
    await recordAudit(context, { action: 'account-unlocked', target: person })
  },
  async 'end-sessions'(context, person) {
    const ended = await context.db
      .deleteFrom('sessions')
      .where('user_id', '=', person.user_id)
      .executeTakeFirst()
    const count = Number(ended.numDeletedRows)
    if (count > 0) await queueMail(context, 'sessions-ended', person.email)
    await recordSessionsEnded(context, person, count)
  },
  async 'reset-factor'(context, person) {
    if (!(await resetFactors(context, person)))
      throw new ProblemError('conflict', { detail: 'Esta pessoa não usa a verificação em duas etapas.' })
  },
  async 'resend-verification'(context, person) {
    if (person.email_verified_at)
      throw new ProblemError('conflict', { detail: 'O e-mail já foi confirmado.' })
    await queueMail(context, 'verification', person.email)
    await recordAudit(context, { action: 'verification-resent', target: person })
  },
}

/**
 * Helps a person into their account, or others out of it.
 * @throws ProblemError not-found; conflict for oneself or a verified e-mail; rate-limited
 */
export async function helpWithAccount(
  context: UserAccountContext,
  { userId, action }: { userId: string; action: AccountAction },
): Promise<undefined> {
  const { email } = await readProfile(context.db, userId)
  // Before the transaction, whose refusal would roll the count back.
  if (action !== 'end-sessions') await limitMailsPerRecipient(context, `help-${action}`, email)
  await changeOther(context, userId, HELP[action])
  return undefined
}

/**
 * Makes a person an administrator or an ordinary user. As nobody demotes themselves, one always stays.
 * @param ifMatch the version that the administrator saw; undefined skips its check
 * @throws ProblemError not-found; conflict for oneself, an unproved e-mail, or a stale ifMatch
 */
export async function changeRole(
  context: Context,
  { userId, role, ifMatch }: { userId: string; role: Role; ifMatch: string | undefined },
): Promise<undefined> {
  await changeOther(context, userId, async (txContext, person, version) => {
    const isAdministrator = (await lockAdministrators(txContext.db)).includes(userId)
    if (isAdministrator === (role === 'admin')) return
    if (ifMatch !== undefined && ifMatch !== String(version)) throw createConflictError()
    if (role === 'admin' && !person.email_verified_at)
      throw new ProblemError('conflict', {
        detail: 'O e-mail desta pessoa ainda não foi confirmado: ninguém provou que é seu.',
      })
    await setRole(txContext, { person, role })
    await queueMail(txContext, 'role-changed', person.email)
  })
  return undefined
}

async function changeOther(context: Context, userId: string, change: Help): Promise<void> {
  await runAdminTransaction(
    context,
    async (db) => {
      const row = await lockProfile(db, userId)
      if (!row) throw new ProblemError('not-found', { detail: 'Usuário não encontrado.' })
      if (row.user_id === context.actor.profile.user_id)
        throw new ProblemError('conflict', {
          detail: 'Para a sua própria conta, use Segurança, em Minha conta, ou peça a outro administrador.',
        })
      await change({ ...context, db }, presentProfile(row), row.entitlement_version)
    },
    lockAdministrators,
  )
}

import type { Session } from '#contract/accounts.ts'
import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAccess } from '#server/operations/audit.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import type { HumanCheck } from './human-check.ts'
import { openSession, type SessionTools } from './open-session.ts'
import { isPasswordRight } from './password-hashing.ts'
import { clearAttempts, reserveAttempt } from './reserve-attempt.ts'
import { warnBuiltinAdmin } from './warn-builtin-admin.ts'

/** Shorter passwords still open a session, but one that may only set a longer password (SPEC section 4). */
const SHORTEST_PASSWORD = 12

export interface SignInRules {
  humanCheck: HumanCheck
  builtinAdminEmail: string | undefined
  /** Off only for tests and trials. */
  rateLimits: boolean
}

/**
 * Signs in with e-mail and password. Unknown address and wrong password are answered alike, after the
 * same work.
 * @throws ProblemError human-check-required, human-check-failed, rate-limited, invalid-credentials
 */
export async function signInWithPassword(
  db: Db,
  tools: SessionTools,
  rules: SignInRules,
  credentials: { email: string; password: string; captcha: string | undefined },
  request: RequestInfo,
): Promise<Session> {
  const email = credentials.email.toLowerCase()
  const isBuiltin = email === rules.builtinAdminEmail
  if (!isBuiltin) await rules.humanCheck.demand(credentials.captcha, request.ip)
  const failures = rules.rateLimits
    ? await reserveAttempt(db, { email, ip: request.ip, isBuiltin, now: tools.clock() })
    : 0

  const found = await db
    .selectFrom('profiles')
    .leftJoin('passwords', 'passwords.user_id', 'profiles.user_id')
    .selectAll('profiles')
    .select('passwords.hash')
    .where('email', '=', email)
    .executeTakeFirst()
  if (!(await isPasswordRight(found?.hash ?? undefined, credentials.password)) || !found) {
    if (isBuiltin) await warnBuiltinAdmin(db, email, failures, request, new Date(tools.clock()))
    throw new ProblemError('invalid-credentials')
  }

  const at = new Date(tools.clock())
  const kind = credentials.password.length < SHORTEST_PASSWORD ? 'forcedChange' : 'full'
  return db.transaction().execute(async (transaction) => {
    await clearAttempts(transaction, email, request.ip)
    await transaction
      .updateTable('profiles')
      .set({ last_sign_in_at: at })
      .where('user_id', '=', found.user_id)
      .execute()
    // The update waits for a change of password under way: the session must not outlive what it was opened with.
    await assertUnchanged(transaction, found.user_id, found.hash as string)
    await recordAccess(
      { db: transaction, clock: tools.clock, request },
      { action: 'sign-in', userId: found.user_id },
    )
    return openSession(transaction, tools, presentProfile({ ...found, last_sign_in_at: at }), kind)
  })
}

/** @throws ProblemError invalid-credentials when the password was changed while it was compared */
async function assertUnchanged(db: Db, userId: string, hash: string): Promise<void> {
  const current = await db
    .selectFrom('passwords')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (!current) throw new ProblemError('invalid-credentials')
}

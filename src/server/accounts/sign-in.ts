import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Session } from '#contract/accounts.ts'
import { PASSWORD_MIN } from '#contract/passwords.ts'
import type { Db } from '#server/database/schema.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAccess, recordAudit } from '#server/operations/audit.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import type { AccountContext } from './account-context.ts'
import { accountMails } from './mails.ts'
import { isPasswordRight } from './password-hashing.ts'
import { openSession } from './sessions.ts'

const MIN_LOCK_MS = 30_000
const MAX_LOCK_MS = 15 * 60_000
const FORGET_AFTER_MS = 60 * 60_000
/** Failures from which an account locks, from one IP address and over all of them. */
const FREE_FAILURES = { perIp: 5, overall: 50 }
/** The built-in administrator's sign-in skips the human check, so it locks sooner. */
const FREE_FAILURES_BUILTIN = { perIp: 3, overall: 15 }
/** The first warning of the built-in administrator, and from then on one with each further lock of the account. */
const FIRST_WARNING = 3
const WARNING_EVERY = 15

/**
 * Signs in with e-mail and password. Unknown e-mail and wrong password are answered alike, after the same work.
 * @throws ProblemError human-check-required, human-check-failed, rate-limited, invalid-credentials
 */
export async function signIn(
  context: AccountContext,
  credentials: { email: string; password: string; captcha: string | undefined },
): Promise<Session> {
  const { password, captcha } = credentials
  const email = credentials.email.toLowerCase()
  const isBuiltin = email === context.builtinAdminEmail
  if (!isBuiltin) await context.humanCheck.demand(captcha, context.request.ip)
  const failures = context.rateLimits ? await reserveAttempt(context, { email, isBuiltin }) : 0

  const found = await context.db
    .selectFrom('profiles')
    .leftJoin('passwords', 'passwords.user_id', 'profiles.user_id')
    .selectAll('profiles')
    .select('passwords.hash')
    .where('email', '=', email)
    .executeTakeFirst()
  if (!(await isPasswordRight(found?.hash ?? undefined, password)) || !found) {
    if (isBuiltin) await warnBuiltinAdmin(context, email, failures)
    throw new ProblemError('invalid-credentials')
  }

  const last_sign_in_at = new Date(context.clock())
  // A shorter one still opens a session, but one that may only set a longer password.
  const kind = password.length < PASSWORD_MIN ? 'forcedChange' : 'full'
  return context.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    await clearAttempts(within, email)
    await db.updateTable('profiles').set({ last_sign_in_at }).where('user_id', '=', found.user_id).execute()
    // The update waits for a change of password under way: the session must not outlive what it was opened with.
    await assertUnchanged(db, found.user_id, found.hash as string)
    await recordAccess(within, { action: 'sign-in', userId: found.user_id })
    return openSession(within, { profile: presentProfile({ ...found, last_sign_in_at }), kind })
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

/**
 * Mails the built-in administrator, whose sign-in skips the human check, that somebody tries passwords.
 * @param failures counted so far, over all IP addresses
 */
async function warnBuiltinAdmin(context: PublicContext, email: string, failures: number): Promise<void> {
  if (failures !== FIRST_WARNING && (failures === 0 || failures % WARNING_EVERY !== 0)) return
  await context.db.transaction().execute(async (db) => {
    await queueMail({ db }, accountMails, 'builtin-failures', email)
    await recordAudit({ ...context, db }, { action: 'builtin-admin-failures', after: { failures } })
  })
}

function keysOf(email: string, ip: string): { perIp: string; overall: string } {
  // Hashed, so that the table does not collect e-mails of people who have no account.
  const account = createHash('sha256').update(email).digest('base64url')
  return { perIp: `${account} ${ipGroup(ip)}`, overall: account }
}

/**
 * Counts an attempt as failed before any password is hashed, so that parallel guesses cannot slip past
 * the lock; success clears it again. From the limit on, each failure locks for 30 s, doubling to 15 min.
 * Known and unknown e-mails are treated alike.
 * @returns how many failures, this one included, are counted over all IP addresses
 * @throws ProblemError rate-limited with Retry-After while the account is locked
 */
async function reserveAttempt(
  { db, clock, request }: PublicContext,
  { email, isBuiltin }: { email: string; isBuiltin: boolean },
): Promise<number> {
  const keys = keysOf(email, request.ip)
  const free = isBuiltin ? FREE_FAILURES_BUILTIN : FREE_FAILURES
  const now = clock()
  await countFailure(db, { key: keys.perIp, free: free.perIp, now })
  return countFailure(db, { key: keys.overall, free: free.overall, now })
}

/** @throws ProblemError rate-limited while the key is locked */
async function countFailure(
  db: Db,
  { key, free, now }: { key: string; free: number; now: number },
): Promise<number> {
  const at = new Date(now)
  const forget_at = new Date(now + FORGET_AFTER_MS)
  const failures = sql<number>`case when sign_in_attempts.forget_at <= ${at} then 1 else sign_in_attempts.failures + 1 end`
  const lockMs = sql<number>`least(${MAX_LOCK_MS}::float8, ${MIN_LOCK_MS}::float8 * power(2, least(20, ${failures} - ${free}::int)))`
  const locked_until = sql<Date>`case when ${failures} >= ${free}::int
    then ${at}::timestamptz + ${lockMs} * interval '1 millisecond' else ${at}::timestamptz end`
  const counted = await db
    .insertInto('sign_in_attempts')
    .values({ key, failures: 1, locked_until: at, forget_at })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ failures, locked_until, forget_at })
        .where('sign_in_attempts.locked_until', '<=', at),
    )
    .returning('failures')
    .executeTakeFirst()
  if (counted) return counted.failures
  const locked = await db
    .selectFrom('sign_in_attempts')
    .select('locked_until')
    .where('key', '=', key)
    .executeTakeFirst()
  const lockedUntil = locked?.locked_until.getTime() ?? now + MIN_LOCK_MS
  throw new ProblemError('rate-limited', {
    detail: 'Muitas tentativas de login. Aguarde um pouco ou redefina sua senha.',
    retryAfterSeconds: Math.ceil((lockedUntil - now) / 1000),
  })
}

/** Forgets an account's failures from this IP address, and one of those counted overall, after a success. */
async function clearAttempts({ db, request }: PublicContext, email: string): Promise<void> {
  const keys = keysOf(email, request.ip)
  await db.deleteFrom('sign_in_attempts').where('key', '=', keys.perIp).execute()
  await db
    .updateTable('sign_in_attempts')
    .set({ failures: sql`greatest(0, failures - 1)` })
    .where('key', '=', keys.overall)
    .execute()
}

/**
 * Forgets all failures and locks of accounts, from every IP address: their owner has set a new password, or they
 * are no more.
 */
export async function forgetAttempts(db: Db, ...emails: string[]): Promise<void> {
  const accounts = emails.map((email) => keysOf(email, '').overall)
  await db
    .deleteFrom('sign_in_attempts')
    .where(sql<string>`split_part(key, ' ', 1)`, 'in', accounts)
    .execute()
}

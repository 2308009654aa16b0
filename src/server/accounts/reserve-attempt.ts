import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import { ProblemError } from '#server/http/problem-error.ts'

const FIRST_LOCK_MS = 30_000
const LONGEST_LOCK_MS = 15 * 60_000
const FORGET_AFTER_MS = 60 * 60_000
/** Failures from which an account locks, from one address and over all of them. */
const FREE_FAILURES = { perAddress: 5, overall: 50 }
/** The built-in administrator's address skips the human check, so it locks sooner. */
const FREE_FAILURES_BUILTIN = { perAddress: 3, overall: 15 }

function keysOf(email: string, ip: string): { perAddress: string; overall: string } {
  // Hashed, so that the table does not collect addresses of people who have no account.
  const account = createHash('sha256').update(email).digest('base64url')
  return { perAddress: `${account} ${ipGroup(ip)}`, overall: account }
}

/**
 * Counts an attempt as failed before any password is hashed, so that parallel guesses cannot slip past
 * the lock; success clears it again. From the limit on, each failure locks for 30 s, doubling to 15 min.
 * Known and unknown addresses are treated alike.
 * @returns how many failures, this one included, are counted over all addresses
 * @throws ProblemError rate-limited with Retry-After while the account is locked
 */
export async function reserveAttempt(
  db: Db,
  { email, ip, isBuiltin, now }: { email: string; ip: string; isBuiltin: boolean; now: number },
): Promise<number> {
  const keys = keysOf(email, ip)
  const free = isBuiltin ? FREE_FAILURES_BUILTIN : FREE_FAILURES
  let failures = 0
  for (const scope of ['perAddress', 'overall'] as const)
    failures = await countFailure(db, keys[scope], free[scope], now)
  return failures
}

/** @throws ProblemError rate-limited while the key is locked */
async function countFailure(db: Db, key: string, free: number, now: number): Promise<number> {
  const at = new Date(now)
  const failures = sql<number>`case when sign_in_attempts.forget_at <= ${at} then 1 else sign_in_attempts.failures + 1 end`
  const lockMs = sql<number>`least(${LONGEST_LOCK_MS}::float8, ${FIRST_LOCK_MS}::float8 * power(2, least(20, ${failures} - ${free}::int)))`
  const counted = await db
    .insertInto('sign_in_attempts')
    .values({ key, failures: 1, locked_until: at, forget_at: new Date(now + FORGET_AFTER_MS) })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          failures,
          locked_until: sql`case when ${failures} >= ${free}::int
            then ${at}::timestamptz + ${lockMs} * interval '1 millisecond' else ${at}::timestamptz end`,
          forget_at: new Date(now + FORGET_AFTER_MS),
        })
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
  const lockedUntil = locked?.locked_until.getTime() ?? now + FIRST_LOCK_MS
  throw new ProblemError('rate-limited', {
    detail: 'Muitas tentativas de login. Aguarde um pouco ou redefina sua senha.',
    retryAfterSeconds: Math.ceil((lockedUntil - now) / 1000),
  })
}

/** Forgets an account's failures from this address, and one of those counted overall, after a success. */
export async function clearAttempts(db: Db, email: string, ip: string): Promise<void> {
  const keys = keysOf(email, ip)
  await db.deleteFrom('sign_in_attempts').where('key', '=', keys.perAddress).execute()
  await db
    .updateTable('sign_in_attempts')
    .set({ failures: sql`greatest(0, failures - 1)` })
    .where('key', '=', keys.overall)
    .execute()
}

/**
 * Forgets all failures and locks of accounts, from every address: their owner has set a new password, or they
 * are no more.
 */
export async function forgetAttempts(db: Db, ...emails: string[]): Promise<void> {
  const accounts = emails.map((email) => keysOf(email, '').overall)
  await db
    .deleteFrom('sign_in_attempts')
    .where(sql<string>`split_part(key, ' ', 1)`, 'in', accounts)
    .execute()
}

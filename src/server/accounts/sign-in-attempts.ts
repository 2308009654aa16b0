import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'

const MIN_LOCK_MS = 30_000
const MAX_LOCK_MS = 15 * 60_000
const FORGET_AFTER_MS = 60 * 60_000
/** Failures from which an account locks, from one place and over all of them. */
const FREE_FAILURES = { perPlace: 5, overall: 50 }
/** The built-in administrator's sign-in skips the human check, so it locks sooner. */
const FREE_FAILURES_BUILTIN = { perPlace: 3, overall: 15 }

export interface Attempt {
  /** In lower case. */
  email: string
  /** The browser that tries, if it has signed in to this account before: strangers' failures are none of its own. */
  deviceId: string | undefined
  ip: string
  isBuiltin: boolean
}

/** A key that failures are counted under, and from how many on it locks. */
interface Counter {
  key: string
  free: number
}

/** Hashed, so that the table does not collect e-mails of people who have no account. */
function accountOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}

/** Where the attempt comes from, a browser known to the account or an address; and all addresses together. */
function countersOf({ email, deviceId, ip, isBuiltin }: Attempt): { place: Counter; overall?: Counter } {
  const account = accountOf(email)
  const free = isBuiltin ? FREE_FAILURES_BUILTIN : FREE_FAILURES
  const place = (name: string) => ({ key: `${account} ${name}`, free: free.perPlace })
  if (deviceId) return { place: place(deviceId) }
  return { place: place(ipGroup(ip)), overall: { key: account, free: free.overall } }
}

const turns = new Map<string, Promise<unknown>>()

/**
 * Lets one attempt from a place be made at a time: while it is under way it counts as failed, and right ones at the
 * same moment must not lock each other out.
 */
export async function inTurn<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  const { key } = countersOf(attempt).place
  const mine = (turns.get(key) ?? Promise.resolve()).then(work, work)
  turns.set(key, mine)
  try {
    return await mine
  } finally {
    if (turns.get(key) === mine) turns.delete(key)
  }
}

/**
 * Counts an attempt as failed before any password is hashed, so that parallel guesses cannot slip past
 * the lock; success clears it again. From the limit on, each failure locks for 30 s, doubling to 15 min.
 * Known and unknown e-mails are treated alike.
 * @returns how many failures, this one included, are counted over all IP addresses, or for the known browser
 * @throws ProblemError rate-limited with Retry-After while the account is locked
 */
export async function reserveAttempt({ db, clock }: PublicContext, attempt: Attempt): Promise<number> {
  const { place, overall } = countersOf(attempt)
  const failures = await countFailure(db, place, clock())
  return overall ? countFailure(db, overall, clock()) : failures
}

/** @throws ProblemError rate-limited while the key is locked */
async function countFailure(db: Db, { key, free }: Counter, now: number): Promise<number> {
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

/**
 * Takes back what an attempt counted, and locked, that was no failure; a right password forgets those before it from its
 * place, too.
 * @param counted what `reserveAttempt` returned: while the row overall still says so, nobody has failed since
 * @param isRight false for a password that was not looked at
 */
export async function clearAttempts(
  { db, clock }: PublicContext,
  attempt: Attempt,
  { counted, isRight }: { counted: number; isRight: boolean },
): Promise<void> {
  const { place, overall } = countersOf(attempt)
  const at = new Date(clock())
  const takeBack = async ({ key }: Counter, isOwnLock: RawBuilder<unknown>) => {
    const locked_until = sql<Date>`case when ${isOwnLock} then ${at}::timestamptz else locked_until end`
    const failures = sql<number>`greatest(0, failures - 1)`
    await db.updateTable('sign_in_attempts').set({ failures, locked_until }).where('key', '=', key).execute()
  }
  if (isRight) await db.deleteFrom('sign_in_attempts').where('key', '=', place.key).execute()
  // Others from there wait for their turn.
  else await takeBack(place, sql`true`)
  if (overall) await takeBack(overall, sql`failures = ${counted}::int or failures <= ${overall.free}::int`)
}

/**
 * Forgets all failures and locks of accounts, from every IP address and browser: their owner has set a new password,
 * or they are no more.
 */
export async function forgetAttempts(db: Db, ...emails: string[]): Promise<void> {
  await db
    .deleteFrom('sign_in_attempts')
    .where(sql<string>`split_part(key, ' ', 1)`, 'in', emails.map(accountOf))
    .execute()
}

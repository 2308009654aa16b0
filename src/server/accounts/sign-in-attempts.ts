import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { serializePerKey } from '#server/http/serialize-per-key.ts'

const MIN_LOCK_MS = 30_000
const MAX_LOCK_MS = 15 * 60_000
const RESET_AFTER_MS = 60 * 60_000
/** Of the second step, where each guess comes from somebody who knows the password. */
const MAX_STEP_LOCK_MS = 4 * 60 * 60_000
const STEP_RESET_AFTER_MS = 24 * 60 * 60_000
/** Failures after which an account locks, per source and over all sources. */
const LOCK_THRESHOLD = { perSource: 5, overall: 50 }
/** Without a human check (the built-in administrator, a signed-in person) it locks sooner. */
const LOCK_THRESHOLD_UNCHECKED = { perSource: 3, overall: 15 }

/** Six digits can be guessed, passkeys and recovery codes cannot. */
export type SecondStepKind = 'guessable' | 'unguessable'

export interface Attempt {
  /** In lower case. */
  email: string
  /** Known device that makes the attempt; failures elsewhere do not count against it. */
  deviceId: string | undefined
  ip: string
  skipsHumanCheck: boolean
  /** Of the second step: no right password clears its counter, and codes have one for all sources. */
  secondStep?: SecondStepKind
}

/** A rate limit key and the number of failures at which it locks. */
interface Counter {
  key: string
  threshold: number
  maxLockMs?: number
  resetAfterMs?: number
}

/** Name under which failures of the second step count. */
const toStepSubject = (email: string) => `${email} second-step`

/** Hashes the e-mail, so that the table stores no addresses of people without an account. */
function hashEmail(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}

/** Returns the counters of an attempt's source (known device or IP group), and of all sources. */
function getCounters({ email, deviceId, ip, skipsHumanCheck, secondStep }: Attempt): {
  source: Counter
  overall?: Counter
} {
  if (secondStep) {
    const subject = hashEmail(toStepSubject(email))
    const threshold = LOCK_THRESHOLD_UNCHECKED.perSource
    const long = { maxLockMs: MAX_STEP_LOCK_MS, resetAfterMs: STEP_RESET_AFTER_MS }
    if (secondStep === 'guessable') return { source: { key: `${subject} ${secondStep}`, threshold, ...long } }
    // Nobody elsewhere keeps the owner out of what cannot be guessed.
    return { source: { key: `${subject} ${toIpPrefix(ip)}`, threshold } }
  }
  const account = hashEmail(email)
  const threshold = skipsHumanCheck ? LOCK_THRESHOLD_UNCHECKED : LOCK_THRESHOLD
  const source = (name: string) => ({ key: `${account} ${name}`, threshold: threshold.perSource })
  if (deviceId) return { source: source(deviceId) }
  return { source: source(toIpPrefix(ip)), overall: { key: account, threshold: threshold.overall } }
}

/**
 * Serializes attempts per source: an attempt counts as failed while it runs, and concurrent correct
 * ones must not lock each other out.
 */
export function serializePerSource<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  return serializePerKey(getCounters(attempt).source.key, work)
}

/**
 * Counts an attempt as failed before hashing, so that parallel guesses cannot bypass the lock. From
 * the threshold on, each failure locks for 30 s, doubling to 15 min, also for unknown e-mails.
 * @returns failures counted over all IP addresses or for the known device, including this one
 * @throws ProblemError rate-limited with Retry-After while the account is locked
 */
export async function reserveAttempt({ db, clock }: PublicContext, attempt: Attempt): Promise<number> {
  const { source, overall } = getCounters(attempt)
  const failures = await countFailure(db, source, clock())
  return overall ? countFailure(db, overall, clock()) : failures
}

/** @throws ProblemError rate-limited while the key is locked */
async function countFailure(db: Db, counter: Counter, now: number): Promise<number> {
  const { key, threshold, maxLockMs = MAX_LOCK_MS, resetAfterMs = RESET_AFTER_MS } = counter
  const at = new Date(now)
  const forget_at = new Date(now + resetAfterMs)
  const failures = sql<number>`case when sign_in_attempts.forget_at <= ${at} then 1 else sign_in_attempts.failures + 1 end`
  const lockMs = sql<number>`least(${maxLockMs}::float8, ${MIN_LOCK_MS}::float8 * power(2, least(20, ${failures} - ${threshold}::int)))`
  const locked_until = sql<Date>`case when ${failures} >= ${threshold}::int
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
 * Undoes the count and the lock of an attempt that did not fail; a correct password also clears
 * earlier failures of its source.
 * @param counted the result of `reserveAttempt`, unchanged in the overall row if no failure came
 *   since
 * @param isRight false if the password was not compared
 */
export async function releaseAttempt(
  { db, clock }: PublicContext,
  attempt: Attempt,
  { counted, isRight }: { counted: number; isRight: boolean },
): Promise<void> {
  const { source, overall } = getCounters(attempt)
  const at = new Date(clock())
  const undoFailure = async ({ key }: Counter, isOwnLock: RawBuilder<unknown>) => {
    const locked_until = sql<Date>`case when ${isOwnLock} then ${at}::timestamptz else locked_until end`
    const failures = sql<number>`greatest(0, failures - 1)`
    await db.updateTable('sign_in_attempts').set({ failures, locked_until }).where('key', '=', key).execute()
  }
  if (isRight) await db.deleteFrom('sign_in_attempts').where('key', '=', source.key).execute()
  // Other attempts from this source are serialized, so the lock is this attempt's own.
  else await undoFailure(source, sql`true`)
  if (overall)
    await undoFailure(overall, sql`failures = ${counted}::int or failures <= ${overall.threshold}::int`)
}

const isOf = (emails: readonly string[]) =>
  sql<boolean>`split_part(key, ' ', 1) = any(${emails.map(hashEmail)}::text[])`

/**
 * Clears failures and locks of accounts, of all sources, with a new password. Of a second step the
 * lock ends and the count stays: whoever reads the mailbox gets one guess for each new password.
 */
export async function clearFailures(db: Db, ...emails: string[]): Promise<void> {
  await db.deleteFrom('sign_in_attempts').where(isOf(emails)).execute()
  await db
    .updateTable('sign_in_attempts')
    .set({ locked_until: new Date(0) })
    .where(isOf(emails.map(toStepSubject)))
    .execute()
}

/** Returns until when an account is locked, for any source or in the second step; null if it is not. */
export async function readLock({ db, clock }: Pick<PublicContext, 'db' | 'clock'>, email: string) {
  const row = await db
    .selectFrom('sign_in_attempts')
    .select(({ fn }) => fn.max('locked_until').as('until'))
    .where(isOf([email, toStepSubject(email)]))
    .where('locked_until', '>', new Date(clock()))
    .executeTakeFirst()
  return row?.until?.toISOString() ?? null
}

/** Clears all of it, at an administrator's request or after a deletion. */
export async function clearAllFailures(db: Db, ...emails: string[]): Promise<void> {
  await db
    .deleteFrom('sign_in_attempts')
    .where(isOf([...emails, ...emails.map(toStepSubject)]))
    .execute()
}

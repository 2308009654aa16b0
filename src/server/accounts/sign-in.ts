import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Session } from '#contract/accounts.ts'
import { PASSWORD_MIN } from '#contract/passwords.ts'
import { executePrepared } from '#server/database/database.ts'
import type { Db, ProfilesTable } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { countFailedAttempt, recordAudit } from '#server/operations/audit.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import type { AccountContext, OwnAccountContext } from './account-context.ts'
import { isPasswordRight } from './password-hashing.ts'
import {
  addProof,
  issueAccessToken,
  MICROSOFT_ONLY,
  needsMicrosoft,
  openSession,
  recordLastAccess,
  recordSignIn,
} from './sessions.ts'
import { type Attempt, releaseAttempt, reserveAttempt, serializePerSource } from './sign-in-attempts.ts'

/** High, because a dealership shares one IP address; only failures count. */
const FAILURES_PER_IP = { max: 60, windowSeconds: 300, perIp: 'refunded' } as const
/** Sign-in devices remembered per account; the oldest is dropped. */
const MAX_DEVICES = 20
/** The owner was mailed about a new browser: one that a thief brought counts as known only later. */
const KNOWN_AFTER_MS = 24 * 60 * 60_000
/** Failures after which the built-in administrator is first warned, and the interval of later warnings. */
const FIRST_WARNING = 3
const WARNING_EVERY = 15

interface Credentials {
  email: string
  password: string
  captcha: string | undefined
  /** Token that this browser received at an earlier sign-in to this account. */
  deviceToken: string | undefined
}

/**
 * Signs in with e-mail and password; unknown e-mails get the same answer after the same work. Known
 * devices have separate rate limits (OWASP, device cookies), so that guessing without a device token
 * does not lock out the owner.
 * @throws ProblemError human-check-required, human-check-failed, rate-limited, invalid-credentials
 */
export async function signIn(context: AccountContext, credentials: Credentials): Promise<Session> {
  const { captcha, deviceToken, password } = credentials
  const email = credentials.email.toLowerCase()
  rejectPasswords(context, email)
  const isBuiltin = email === context.builtinAdminEmail
  const attempt = await createAttempt(context, { email, deviceToken, skipsHumanCheck: isBuiltin })
  const { ip, deviceId, knownDevice } = attempt
  if (!isBuiltin)
    await context.humanCheck.verify(captcha, { ip, deviceId, target: { email, form: 'sign-in' } })
  // A shorter password still opens a session, but only to set a longer one.
  const kind = password.length < PASSWORD_MIN ? 'forcedChange' : 'full'
  return tryPassword(context, { attempt, password }, async (txContext, found) => {
    const device_token = await rememberDevice(txContext, found, deviceId)
    const profile = presentProfile(found)
    const opened = await openSession(txContext, { profile, kind, by: 'password', knownDevice })
    await recordSignIn(txContext, opened, 'password')
    return { ...opened, device_token }
  })
}

/**
 * Refuses what a password or a mailed link would open where people sign in with Microsoft alone. The
 * built-in administrator keeps the way in, for an outage of the directory.
 * @throws ProblemError forbidden
 */
export function rejectPasswords(
  context: Pick<AccountContext, 'onlyMicrosoft' | 'builtinAdminEmail'>,
  email: string,
): void {
  if (needsMicrosoft(context, email)) throw new ProblemError('forbidden', { detail: MICROSOFT_ONLY })
}

/**
 * Proves a signed-in person's identity again by their password; guesses count as at the sign-in.
 * @returns an access token alone: another refresh token could be older than that of another tab
 * @throws ProblemError rate-limited, invalid-credentials; unauthenticated for a session that ended
 */
export async function reauthenticate(
  context: OwnAccountContext,
  { password, deviceToken }: Pick<Credentials, 'password' | 'deviceToken'>,
) {
  const { profile, sessionId, refreshCounter } = context.actor
  const { email, user_id: userId } = profile
  rejectPasswords(context, email)
  const attempt = await createAttempt(context, { email, deviceToken, skipsHumanCheck: true })
  const renewed = await tryPassword(context, { attempt, password }, (txContext) =>
    renewAuthentication({ ...txContext, actor: context.actor }, 'password'),
  ).catch((error) => {
    if (!(error instanceof ProblemError) || error.code !== 'invalid-credentials') throw error
    throw new ProblemError(error.code, { detail: 'Senha incorreta. Confira e tente novamente.' })
  })
  // The counter of the caller's token: its refresh token may be older than the newest.
  return issueAccessToken(context, { userId, sessionId, refreshCounter, ...renewed })
}

/** Makes the caller's session recent. @throws ProblemError unauthenticated for a session that ended */
export async function renewAuthentication(
  context: OwnAccountContext,
  method: string,
  at = new Date(context.clock()),
) {
  const { db, actor } = context
  const query = db.selectFrom('sessions').selectAll().where('id', '=', actor.sessionId)
  const row = await query.forUpdate().executeTakeFirst()
  if (!row) throw new ProblemError('unauthenticated')
  const amr = addProof(row, method, at)
  await db
    .updateTable('sessions')
    .set({ authenticated_at: at, amr: JSON.stringify(amr) })
    .where('id', '=', row.id)
    .execute()
  await recordAudit(context, { action: 'reauthenticated', target: actor.profile })
  return { amr, aal: row.aal ?? 'aal1' }
}

async function createAttempt(
  context: AccountContext,
  who: { email: string; deviceToken: string | undefined; skipsHumanCheck: boolean },
): Promise<Attempt & { knownDevice: string | undefined }> {
  const { email, deviceToken, skipsHumanCheck } = who
  return {
    ...(await identifyDevice(context, email, deviceToken)),
    email,
    ip: context.request.ip,
    skipsHumanCheck,
  }
}

/** Identifies a browser by its token; `knownDevice` only if the account has known it for a while. */
export async function identifyDevice(
  { db, clock, tokens }: AccountContext,
  email: string,
  deviceToken: string | undefined,
) {
  const presentedId = deviceToken ? tokens.devices.read(deviceToken, email) : undefined
  const device = presentedId && (await findDevice(db, email, presentedId))
  const deviceId = device ? device.id : undefined
  const isKnown = device && clock() - device.created_at.getTime() >= KNOWN_AFTER_MS
  return { deviceId, knownDevice: isKnown ? device.id : undefined }
}

interface Try {
  attempt: Attempt
  password: string
}
type Found = Selectable<ProfilesTable>
/** Work for a right password, in its transaction; the person's row is locked. */
type Proceed<T> = (context: AccountContext, found: Found) => Promise<T>

/** Compares a password within the limits, counts refusals, and proceeds if it is right. */
async function tryPassword<T>(context: AccountContext, tried: Try, proceed: Proceed<T>): Promise<T> {
  const { email, ip } = tried.attempt
  try {
    return await serializePerSource(tried.attempt, () => tryLimited(context, tried, proceed))
  } catch (error) {
    if (error instanceof ProblemError) {
      // Batched, because a refusal by a limit must not wait for the database.
      if (error.code === 'rate-limited') context.countRefusal({ email, outcome: error.code, ip })
      else await countFailedAttempt(context, { email, outcome: error.code })
    }
    throw error
  }
}

/** Finds a device that the account still remembers. */
function findDevice(db: Db, email: string, id: string) {
  return db
    .selectFrom('sign_in_devices')
    .innerJoin('profiles', 'profiles.user_id', 'sign_in_devices.user_id')
    .select(['sign_in_devices.id', 'sign_in_devices.created_at'])
    .where('sign_in_devices.id', '=', id)
    .where('email', '=', email)
    .executeTakeFirst()
}

/** Counts before trying, so that parallel attempts cannot exceed the limit; only failures stay counted. */
async function tryLimited<T>(context: AccountContext, tried: Try, proceed: Proceed<T>): Promise<T> {
  const { attempt } = tried
  if (attempt.deviceId) return comparePassword(context, tried, proceed)
  const key = `sign-in ${toIpPrefix(attempt.ip)}`
  await context.consumeRateLimit(key, FAILURES_PER_IP)
  let isWrong = false
  try {
    return await comparePassword(context, tried, proceed)
  } catch (error) {
    isWrong = error instanceof ProblemError && error.code === 'invalid-credentials'
    throw error
  } finally {
    if (!isWrong) await context.refundRateLimit(key)
  }
}

async function comparePassword<T>(
  context: AccountContext,
  { attempt, password }: Try,
  proceed: Proceed<T>,
): Promise<T> {
  const { email } = attempt
  const failures = context.rateLimits ? await reserveAttempt(context, attempt) : 0

  const byEmail = context.db
    .selectFrom('profiles')
    .leftJoin('passwords', 'passwords.user_id', 'profiles.user_id')
    .selectAll('profiles')
    .select('passwords.hash')
    .where('email', '=', email)
    .compile()
  const [found] = (await executePrepared(context.db, byEmail)).rows
  const isRight = await isPasswordRight(found?.hash ?? undefined, password).catch(async (error) => {
    // The portal was too busy to compare the password, so the attempt does not count.
    if (failures > 0) await releaseAttempt(context, attempt, { counted: failures, isRight: false })
    throw error
  })
  if (!isRight || !found) {
    if (email === context.builtinAdminEmail) await warnBuiltinAdmin(context, email, failures)
    throw new ProblemError('invalid-credentials')
  }

  const last_sign_in_at = new Date(context.clock())
  return context.db.transaction().execute(async (db) => {
    const txContext = { ...context, db }
    if (failures > 0) await releaseAttempt(txContext, attempt, { counted: failures, isRight })
    await recordLastAccess(db, found.user_id, last_sign_in_at)
    // The update waits for a concurrent password change, whose session must not survive it.
    await assertUnchanged(db, found.user_id, found.hash as string)
    return proceed(txContext, { ...found, last_sign_in_at })
  })
}

/** @throws ProblemError invalid-credentials if the password changed while it was compared */
async function assertUnchanged(db: Db, userId: string, hash: string): Promise<void> {
  const current = db
    .selectFrom('passwords')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .compile()
  const { rows } = await executePrepared(db, current)
  if (rows.length === 0) throw new ProblemError('invalid-credentials')
}

/**
 * Remembers a browser for its next sign-in. Queues a mail for each new one, except the account's first
 * and the first after a new password, which is the browser that set it.
 * @param known id of the device, if it has signed in to this account before
 * @returns the token that the browser presents at its next sign-in
 */
export async function rememberDevice(
  { db, clock, tokens }: AccountContext,
  { user_id, email }: { user_id: string; email: string },
  known?: string,
): Promise<string> {
  const seen_at = new Date(clock())
  const id = known ?? randomUUID()
  const others = sql`from sign_in_devices where user_id = ${user_id}::uuid and id <> ${id}::uuid`
  const statement = sql<{ others: number }>`
    with forgotten as (
      delete from sign_in_devices
      where id in (select id ${others} order by seen_at desc offset ${sql.lit(MAX_DEVICES - 1)})
    )
    insert into sign_in_devices (id, user_id, created_at, seen_at)
    values (${id}, ${user_id}, ${seen_at}, ${seen_at})
    on conflict (id) do update set seen_at = excluded.seen_at
    returning (select count(*) ${others}) as others`.compile(db)
  const { rows } = await executePrepared(db, statement)
  if (!known && rows[0]?.others) await queueMail({ db }, 'new-device', email)
  return tokens.devices.sign(id, email)
}

/**
 * Warns the built-in administrator, whose sign-in skips the human check, of failed attempts by mail.
 * @param failures counted so far, over all IP addresses
 */
async function warnBuiltinAdmin(context: PublicContext, email: string, failures: number): Promise<void> {
  if (failures !== FIRST_WARNING && (failures === 0 || failures % WARNING_EVERY !== 0)) return
  await context.db.transaction().execute(async (db) => {
    await queueMail({ db }, 'builtin-failures', email)
    await recordAudit({ ...context, db }, { action: 'builtin-admin-failures', after: { failures } })
  })
}

import { randomBytes, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import {
  isRecentlyAuthenticated,
  type Role,
  type SessionKind,
  type WantedSessionKind,
} from '#contract/access.ts'
import type { AuthUser, Session } from '#contract/accounts.ts'
import type { AmrEntry } from '#contract/factors.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import type { Profile } from '#contract/users.ts'
import { type Database, executePrepared, prepare } from '#server/database/database.ts'
import type { Db, SessionsTable } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import type { Context, PublicContext, RequestInfo } from '#server/http/context.ts'
import type { Authenticate } from '#server/http/implement.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAccess, recordAudit } from '#server/operations/audit.ts'
import { ACCESS_ENDS_AT, findProfile, getApprovalAt, PROFILE_COLUMNS } from '#server/users/user-queries.ts'
import type { AccountContext, OwnAccountContext } from './account-context.ts'
import {
  hasVerified,
  isFactorOwed,
  listFactors,
  readFactorDue,
  type SecondFactorPolicy,
} from './second-factor.ts'
import {
  ACCESS_TOKEN_SECONDS,
  type AccessClaims,
  deriveRefreshToken,
  isGenuine,
  parseRefreshToken,
  type Tokens,
} from './tokens.ts'

/** Sessions expire after this time without a refresh. */
export const SESSION_IDLE_MS = 40 * 60_000
/** Returns the earliest creation and refresh times of sessions that are still valid. */
export function getSessionCutoffs(now: number, maxDays: number) {
  return { openedAfter: new Date(now - maxDays * DAY_MS), refreshedAfter: new Date(now - SESSION_IDLE_MS) }
}

/** A session from a reset link only sets a password. It has no refresh, so its token lives as long. */
const RECOVERY_SESSION_SECONDS = 15 * 60
/** Grace period for a replayed parent token (a second tab, a lost reply), even with a used successor. */
const PARENT_GRACE_MS = 10_000
/** Grace period in the same browser while the successor is unused. Short, because a thief may wait. */
const LOST_REPLY_MS = 2 * 60_000
const DAY_MS = 24 * 60 * 60_000
const REFRESH_LIMIT = { max: 12, windowSeconds: 60 }
/** High, because a dealership shares one address, and its browsers try sessions that have ended. */
const REFUSED_PER_IP = { max: 600, windowSeconds: 300, perIp: 'kept' } as const

type SessionContext = Pick<AccountContext, 'db' | 'clock' | 'tokens'> & {
  request: Origin
  secondFactor?: SecondFactorPolicy
}
/** Where a request comes from. */
type Origin = Pick<RequestInfo, 'ip' | 'userAgent'>
type Aal = 'aal1' | 'aal2'
/** Methods of the first step. */
export type AuthenticationMethod = 'password' | 'passkey' | 'microsoft'

/** Reads the user object of GoTrue's official client. */
export async function presentAuthUser(
  context: Pick<SessionContext, 'db' | 'secondFactor'>,
  profile: Profile,
  kind: SessionKind,
): Promise<AuthUser> {
  const factors = await listFactors(context.db, profile.user_id)
  const isProtected = hasVerified(factors)
  const due = isProtected ? undefined : await readFactorDue(context, profile.user_id)
  return {
    id: profile.user_id,
    aud: 'authenticated',
    role: 'authenticated',
    email: profile.email,
    email_confirmed_at: profile.email_verified_at,
    last_sign_in_at: profile.last_sign_in_at,
    created_at: profile.created_at,
    app_metadata: {
      provider: 'email',
      must_change_password: kind === 'forcedChange',
      second_factor: kind !== 'aal1' ? null : isProtected ? 'verify' : 'set-up',
      second_factor_due: due?.toISOString() ?? null,
    },
    factors,
    user_metadata: { full_name: profile.full_name },
  }
}

interface Opening {
  profile: Profile
  /** What the session opens, unless the person owes a second factor. */
  kind: WantedSessionKind
  /** A mailed link alone is no recent authentication; a passkey is both steps. */
  by: AuthenticationMethod | 'link'
  /** The device, if the account knew it before. */
  knownDevice?: string | undefined
  /** Whether a mailed link was used for it, or to set the password. */
  isByMailedLink?: boolean
  /** Whether the directory has seen the second step. */
  isMultiFactor?: boolean
  /** When Microsoft saw the person, which a silent sign-in leaves in the past; null if it does not say. */
  authenticatedAt?: Date | null
  /** End of a session that Microsoft opened. */
  endsAt?: Date
}

/** Opens a session for an authenticated user: of the kind 'aal1' if the second factor is still owed. */
export async function openSession(context: SessionContext, opening: Opening): Promise<Session> {
  const { profile, by, knownDevice } = opening
  const { db, clock, tokens, request } = context
  const now = new Date(clock())
  const aal: Aal = by === 'passkey' || opening.isMultiFactor ? 'aal2' : 'aal1'
  const isOwed =
    opening.kind !== 'recovery' && aal === 'aal1' && (await isFactorOwed(context, profile.user_id))
  const kind = isOwed ? ('aal1' as const) : opening.kind
  const { authenticatedAt = now } = opening
  const provedAt = by === 'link' ? null : authenticatedAt
  const amr = provedAt ? toAmr(by, provedAt) : []
  const session = { id: randomUUID(), kind, refreshKey: randomBytes(32), counter: 0, profile, amr, aal }
  const insertion = db
    .insertInto('sessions')
    .values({
      id: session.id,
      user_id: profile.user_id,
      kind,
      refresh_key: tokens.refreshKeys.seal(session.refreshKey),
      device_bound: true,
      authenticated_at: provedAt,
      aal,
      amr: JSON.stringify(amr),
      kind_after_factor: isOwed ? (opening.kind as 'full' | 'forcedChange') : null,
      known_device: knownDevice ?? null,
      enrolment_allowed_at: opening.isByMailedLink || by === 'link' ? now : null,
      ends_at: opening.endsAt ?? null,
      ip: request.ip,
      user_agent: request.userAgent,
      created_at: now,
      refreshed_at: now,
      renewed_at: now,
    })
    .compile()
  await executePrepared(db, insertion)
  return presentSession(context, session)
}

/** Records a sign-in by its methods, or the first step of one that owes the second. */
export async function recordSignIn(context: PublicContext, { user }: Session, method: string): Promise<void> {
  const action = user.app_metadata.second_factor === null ? 'sign-in' : 'first-step'
  await recordAccess(context, { action, userId: user.id, method })
}

/** Converts a proof of identity to a claim, as in GoTrue, in seconds. */
export function toAmr(method: string, at: Date): AmrEntry[] {
  return [{ method, timestamp: Math.floor(at.getTime() / 1000) }]
}

/** Replaces the proof of one method; what this version and 0.2 have written is read alike. */
export function addProof(row: Selectable<SessionsTable>, method: string, at: Date): AmrEntry[] {
  return [...readAmr(row).filter((entry) => entry.method !== method), ...toAmr(method, at)]
}

const readAmr = ({ amr, authenticated_at }: Selectable<SessionsTable>): AmrEntry[] =>
  amr ?? (authenticated_at ? toAmr('password', authenticated_at) : [])

/**
 * Records that a session has shown a second factor: it opens what the first step was for.
 * @returns the session with its newest refresh token; undefined if it ended meanwhile
 */
export async function raiseSession(context: OwnAccountContext, method: string): Promise<Session | undefined> {
  const { db, clock, tokens, actor } = context
  const now = new Date(clock())
  const query = db.selectFrom('sessions').selectAll().where('id', '=', actor.sessionId)
  const row = await query.forUpdate().executeTakeFirst()
  const refreshKey = row && tokens.refreshKeys.open(row.refresh_key)
  if (!row || !refreshKey) return undefined
  const kind = row.kind === 'aal1' ? (row.kind_after_factor ?? 'full') : row.kind
  const amr = addProof(row, method, now)
  await db
    .updateTable('sessions')
    .set({ kind, aal: 'aal2', amr: JSON.stringify(amr), authenticated_at: now, kind_after_factor: null })
    .where('id', '=', row.id)
    .execute()
  const { profile } = actor
  if (row.kind === 'aal1') {
    const steps = amr.map((proof) => proof.method)
    // Without the time of Microsoft's proof there is no entry of it.
    if (steps.length === 1 && row.ends_at) steps.unshift('microsoft')
    await recordAccess(context, { action: 'sign-in', userId: row.user_id, method: steps.join('+') })
  }
  return presentSession(context, {
    id: row.id,
    kind,
    refreshKey,
    counter: row.refresh_counter,
    profile,
    amr,
    aal: 'aal2',
  })
}

/** Builds the response of every call that signs in: access token, refresh token and user. */
async function presentSession(
  context: SessionContext,
  session: {
    id: string
    kind: SessionKind
    refreshKey: Uint8Array
    counter: number
    profile: Profile
    amr: AmrEntry[]
    aal: Aal
  },
): Promise<Session> {
  const { id, kind, refreshKey, counter, profile, amr, aal } = session
  const claims = { userId: profile.user_id, sessionId: id, refreshCounter: counter, amr, aal }
  return {
    ...(await issueAccessToken(context, claims, kind === 'recovery' ? RECOVERY_SESSION_SECONDS : undefined)),
    refresh_token: deriveRefreshToken(refreshKey, id, counter),
    user: await presentAuthUser(context, profile, kind),
  }
}

/** Signs an access token, in the form of GoTrue's replies. */
export async function issueAccessToken(
  { clock, tokens }: Pick<SessionContext, 'clock' | 'tokens'>,
  claims: AccessClaims,
  lifeSeconds = ACCESS_TOKEN_SECONDS,
) {
  return {
    access_token: await tokens.access.sign(claims, lifeSeconds),
    token_type: 'bearer' as const,
    expires_in: lifeSeconds,
    expires_at: Math.floor(clock() / 1000) + lifeSeconds,
  }
}

/** Reads session, role and entitlements at the instant $3 in one round trip, on every replica. */
const READ_SESSION = prepare(`
  select s.acknowledged_counter, s.kind, coalesce(r.role, 'user') as role, p.entitlement_version,
    ${ACCESS_ENDS_AT} as access_ends_at, ${PROFILE_COLUMNS}
  from sessions s
  join profiles p on p.user_id = s.user_id
  left join user_roles r on r.user_id = s.user_id
  where s.id = $1 and s.user_id = $2
    and s.refreshed_at > $3::timestamptz - interval '${SESSION_IDLE_MS} ms'
    and s.created_at > $3 - make_interval(hours => $4)
    and (s.ends_at is null or s.ends_at > $3)
    and (s.kind <> 'recovery' or s.created_at > $3 - interval '${RECOVERY_SESSION_SECONDS} s')`)

interface SessionRow extends Profile {
  acknowledged_counter: number
  kind: SessionKind
  role: Role
  entitlement_version: number
  access_ends_at: number | null
}

/**
 * Creates the check of protected requests: token, session and profile.
 * @param clock ms since the epoch
 * @param maxDays SESSION_MAX_DAYS
 */
export function createAuthenticate(
  database: Database,
  { access }: Pick<Tokens, 'access'>,
  clock: () => number,
  maxDays: number,
): Authenticate {
  return async (authorization) => {
    const token = /^Bearer ([\w.-]{20,2048})$/i.exec(authorization ?? '')?.[1]
    const claims = token && (await access.verify(token))
    if (!claims) return undefined
    const now = clock()
    const [row] = await database.runPrepared<SessionRow>(READ_SESSION, [
      claims.sessionId,
      claims.userId,
      new Date(now).toISOString(),
      maxDays * 24,
    ])
    if (!row) return undefined
    const { acknowledged_counter, kind, role, entitlement_version, access_ends_at, ...profile } = row
    if (claims.refreshCounter > acknowledged_counter)
      await acknowledge(database, claims.sessionId, claims.refreshCounter)
    return {
      sessionId: claims.sessionId,
      refreshCounter: claims.refreshCounter,
      authenticationAgeMs: now - (claims.authenticatedAt ?? Number.NEGATIVE_INFINITY),
      sessionKind: kind,
      role,
      ...getApprovalAt(now, profile.approved, access_ends_at),
      entitlementVersion: entitlement_version,
      profile,
    }
  }
}

/** Records that the client received the newest tokens: the previous refresh token now counts as stolen. */
async function acknowledge({ db }: Database, sessionId: string, counter: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ acknowledged_counter: counter })
    .where('id', '=', sessionId)
    .where('acknowledged_counter', '<', counter)
    .execute()
}

/**
 * Exchanges a refresh token for a new session (RFC 9700, section 4.14: rotation with reuse detection).
 * The parent returns the same successor for 10 s, or, in the same browser and while that is unused,
 * for 2 min and then once more. Other reuse, or an older token, ends the session and mails its owner.
 * @throws ProblemError rate-limited; invalid-refresh-token, with the reason given an access token
 */
export async function refreshSession(
  context: AccountContext,
  {
    refreshToken,
    accessToken = '',
    deviceToken = '',
  }: { refreshToken: string; accessToken?: string | undefined; deviceToken?: string | undefined },
): Promise<Session> {
  const parts = parseRefreshToken(refreshToken)
  const createRefusal = async () =>
    new ProblemError('invalid-refresh-token', await explainSessionEnd(context, accessToken))
  let isKnown: boolean | undefined
  const checkKnown = async () => {
    isKnown ??= parts !== undefined && (await findSession(context, parts)) !== undefined
    return isKnown
  }
  const ip = toIpPrefix(context.request.ip)
  await context.consumeRateLimit(`refused-refresh ${ip}`, REFUSED_PER_IP, checkKnown)
  // Forged tokens must not consume the rate limit of the session's owner.
  if (!parts || !(await checkKnown())) throw await createRefusal()
  await context.consumeRateLimit(`refresh ${parts.sessionId}`, REFRESH_LIMIT)
  // Returned, not thrown: an exception would roll the revocation back.
  const session = await context.db
    .transaction()
    .execute((db) => rotateSession({ ...context, db }, parts, deviceToken))
  if (!session) throw await createRefusal()
  const { id, last_sign_in_at } = session.user
  const now = context.clock()
  // After the transaction, because other writers lock the profile before its sessions.
  if (!last_sign_in_at || toSaoPauloDay(Date.parse(last_sign_in_at)) !== toSaoPauloDay(now))
    await recordLastAccess(context.db, id, new Date(now))
  return session
}

export const MICROSOFT_ONLY = 'Neste portal se entra com a conta Microsoft do grupo.'

/** Whether an account signs in with Microsoft alone; the built-in administrator's never does. */
export function needsMicrosoft(
  { onlyMicrosoft, builtinAdminEmail }: Pick<AccountContext, 'onlyMicrosoft' | 'builtinAdminEmail'>,
  email: string,
): boolean {
  return onlyMicrosoft && email !== builtinAdminEmail
}

/** Explains why the session of an access token ended, as far as known: its row may be gone. */
async function explainSessionEnd(context: AccountContext, accessToken: string) {
  const { db, clock, tokens } = context
  const claims = await tokens.access.verifyIgnoringExpiry(accessToken)
  if (!claims) return {}
  const person = await db
    .selectFrom('profiles')
    .leftJoin('passwords', 'passwords.user_id', 'profiles.user_id')
    .leftJoin('sessions', (join) =>
      join.onRef('sessions.user_id', '=', 'profiles.user_id').on('sessions.id', '=', claims.sessionId),
    )
    .select([
      'profiles.email',
      'passwords.changed_at',
      'sessions.id as session_id',
      'sessions.aal',
      'sessions.ends_at',
    ])
    .where('profiles.user_id', '=', claims.userId)
    .executeTakeFirst()
  if (!person)
    return { detail: 'Sua conta foi removida do portal. Em caso de dúvida, fale com o administrador.' }
  if (person.changed_at && person.changed_at.getTime() >= claims.issuedAt)
    return { detail: 'A senha desta conta foi trocada. Entre com a nova senha.' }
  if (person.session_id !== null && person.ends_at === null && needsMicrosoft(context, person.email))
    return { detail: MICROSOFT_ONLY }
  if (person.session_id !== null && person.aal !== 'aal2' && (await isFactorOwed(context, claims.userId)))
    return { detail: 'Sua conta agora precisa de uma segunda etapa. Entre de novo para configurá-la.' }
  // Otherwise a session that still exists was refused only because it is too old.
  const isExpired = person.session_id !== null || claims.issuedAt <= clock() - SESSION_IDLE_MS
  return isExpired ? { detail: 'Sua sessão expirou. Entre novamente para continuar.' } : {}
}

type TokenParts = NonNullable<ReturnType<typeof parseRefreshToken>>

/** Finds the session of a valid refresh token, with its key. */
async function findSession({ db, tokens }: SessionContext, parts: TokenParts, isLocking = false) {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', parts.sessionId)
    .$if(isLocking, (query) => query.forUpdate())
    .executeTakeFirst()
  const refreshKey = row && tokens.refreshKeys.open(row.refresh_key)
  return refreshKey && isGenuine(parts, refreshKey) ? { row, refreshKey } : undefined
}

async function rotateSession(
  context: AccountContext,
  parts: TokenParts,
  deviceToken: string,
): Promise<Session | undefined> {
  const { db, clock, tokens } = context
  const opened = await findSession(context, parts, true)
  if (!opened) return undefined
  const { row, refreshKey } = opened
  const { openedAfter, refreshedAfter } = getSessionCutoffs(clock(), context.sessionMaxDays)
  const hasEnded = row.ends_at !== null && row.ends_at.getTime() <= clock()
  if (row.kind === 'recovery' || row.refreshed_at <= refreshedAfter || row.created_at <= openedAfter)
    return undefined
  if (hasEnded) return undefined

  const profile = await findProfile(db, row.user_id)
  if (!profile) return undefined
  // Opened before the portal was closed to passwords: only Microsoft's sessions have such an end.
  if (row.ends_at === null && needsMicrosoft(context, profile.email)) return undefined
  const aal = row.aal ?? 'aal1'
  // Its period has ended since the sign-in, or the policy is new: the next sign-in asks for it.
  if (row.kind !== 'aal1' && aal === 'aal1' && (await isFactorOwed(context, row.user_id))) return undefined
  const deviceId = tokens.devices.read(deviceToken, profile.email)
  const outcome = assess(row, { counter: parts.counter, deviceId }, clock())
  if (outcome === 'reuse') {
    await db.deleteFrom('sessions').where('id', '=', row.id).execute()
    const after = { presented: parts.counter, current: row.refresh_counter }
    await recordAudit(context, { action: 'session-reuse', actor: profile, target: profile, after })
    await queueMail({ db }, 'session-reuse', profile.email)
    return undefined
  }
  const counter = outcome === 'rotate' ? row.refresh_counter + 1 : row.refresh_counter
  // One instant: two that differ are those of a session that 0.2 refreshed.
  const at = new Date(clock())
  if (outcome !== 'repeat')
    await db
      .updateTable('sessions')
      .set({
        refresh_counter: counter,
        // It counts as seen from now on, so that its parent cannot come a second time.
        ...(outcome === 'resume' && { acknowledged_counter: counter }),
        refreshed_at: at,
        renewed_at: at,
        refreshed_by: deviceId ?? null,
        ip: context.request.ip,
        user_agent: context.request.userAgent,
        // Sealed again, so that an old secret is needed only as long as sessions can go without a refresh.
        refresh_key: tokens.refreshKeys.seal(refreshKey),
      })
      .where('id', '=', row.id)
      .execute()
  const { id, kind } = row
  return presentSession(context, { id, kind, refreshKey, counter, profile, amr: readAmr(row), aal })
}

function assess(
  row: Selectable<SessionsTable>,
  { counter, deviceId }: { counter: number; deviceId: string | undefined },
  now: number,
): 'rotate' | 'repeat' | 'resume' | 'reuse' {
  if (counter === row.refresh_counter) return 'rotate'
  if (counter !== row.refresh_counter - 1) return 'reuse'
  const isSuccessorSeen = row.acknowledged_counter >= row.refresh_counter
  const isBoundHere = row.device_bound && deviceId !== undefined && deviceId === row.refreshed_by
  const isLostReply = !isSuccessorSeen && (isBoundHere || !row.device_bound)
  const graceMs = isLostReply ? LOST_REPLY_MS : PARENT_GRACE_MS
  if (now - row.refreshed_at.getTime() <= graceMs) return 'repeat'
  // A lid closed before the reply arrived; after SESSION_IDLE_MS the session has expired.
  return isLostReply && isBoundHere ? 'resume' : 'reuse'
}

/** Updates 'Último Acesso': at every sign-in, and once per day while a session is refreshed. */
export async function recordLastAccess(db: Db, userId: string, at: Date): Promise<void> {
  const update = db.updateTable('profiles').set({ last_sign_in_at: at }).where('user_id', '=', userId)
  await executePrepared(db, update.compile())
}

/**
 * Ends this session (local), all others (others) or all of the user's sessions (global).
 * @throws ProblemError reauthentication-needed for the others alone, whom the caller would outlast
 */
export async function signOut(context: Context, wanted: 'global' | 'local' | 'others'): Promise<void> {
  const { db, actor } = context
  // The password alone does not end the sessions of somebody with two steps.
  const scope = actor.sessionKind === 'aal1' ? 'local' : wanted
  if (scope === 'others' && !isRecentlyAuthenticated(actor, 'account'))
    throw new ProblemError('reauthentication-needed')
  await db.transaction().execute(async (transaction) => {
    const own = transaction.deleteFrom('sessions').where('user_id', '=', actor.profile.user_id)
    if (scope !== 'others') await own.where('id', '=', actor.sessionId).execute()
    if (scope === 'local') return
    const { numDeletedRows } = await own.where('id', '!=', actor.sessionId).executeTakeFirst()
    await recordSessionsEnded({ ...context, db: transaction }, actor.profile, Number(numDeletedRows))
  })
}

/** Records how many sessions of a person were ended, unless there was none. */
export async function recordSessionsEnded(
  context: Context,
  target: Pick<Profile, 'user_id' | 'email'>,
  count: number,
): Promise<void> {
  if (count > 0) await recordAudit(context, { action: 'sessions-ended', target, after: { count } })
}

import type { Selectable } from 'kysely'
import { MICROSOFT_MAIL_MS, MICROSOFT_SIGN_IN_MS } from '#contract/access.ts'
import type { LinkState, RenewedSession, Session } from '#contract/accounts.ts'
import { MICROSOFT_REFUSALS, type MicrosoftRefusal, type microsoftRoutes } from '#contract/microsoft.ts'
import type { ReplyOf } from '#contract/route.ts'
import type { Profile } from '#contract/users.ts'
import { lockCatalogue } from '#server/catalogue/catalogue.ts'
import type { ProfilesTable } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import type { Actor, Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { clearUnverifiedRequest } from '#server/users/access-requests.ts'
import { suggestGroupAccess } from '#server/users/group-mappings.ts'
import { queueWaitingDigest } from '#server/users/mails.ts'
import { findByEmail, findProfile, lockProfile } from '#server/users/user-queries.ts'
import { lockAccount } from './accept-invitation.ts'
import type { AccountContext, OwnAccountContext } from './account-context.ts'
import { cancelLinks, limitMailsPerRecipient, UNKNOWN_LINKS_PER_IP } from './email-links.ts'
import { hashLinkToken } from './mails.ts'
import { CLOCK_TOLERANCE } from './microsoft-directory.ts'
import { type MicrosoftAnswer, openJson, type SessionTicket, sealJson } from './microsoft-sign-in.ts'
import { hasVerified, isPreviousVersionActive, listFactors } from './second-factor.ts'
import { issueAccessToken, openSession, recordLastAccess, recordSignIn } from './sessions.ts'
import { revokeUnverifiedAccess } from './set-password.ts'
import { identifyDevice, rememberDevice, renewAuthentication } from './sign-in.ts'
import { clearFailures } from './sign-in-attempts.ts'
import { confirmEmail } from './verify-email-link.ts'

interface MicrosoftUse {
  token: string
  /** The marks of the browser's attempts, of which one began it; a token alone opens nothing. */
  marks: readonly string[]
  deviceToken: string | undefined
  caller: Actor | undefined
}

const HOUR_MS = 60 * 60_000
const createStaleError = () =>
  new ProblemError('invalid-link', {
    detail: 'Esta entrada já foi usada, venceu ou começou em outro navegador. Comece de novo.',
  })

/** Returns whose sign-in it is, without using it. @throws ProblemError invalid-link, rate-limited */
export async function previewMicrosoft(context: AccountContext, use: MicrosoftUse): Promise<LinkState> {
  await limitUnknownTokens(context, use)
  const { answer } = await readAnswer(context, use)
  return { email: answer.email, state: 'confirms' }
}

/**
 * Uses what the directory said: signs in, links, renews the caller's proof, or mails a link where the
 * address is not proved yet.
 * @throws ProblemError invalid-link; forbidden with the reason, after a row in the trail; rate-limited
 */
export async function redeemMicrosoft(
  context: AccountContext,
  use: MicrosoftUse,
): Promise<Session | RenewedSession | LinkState> {
  await limitUnknownTokens(context, use)
  const outcome = await context.db.transaction().execute(async (db) => {
    const txContext = { ...context, db }
    await lockCatalogue(db)
    const { isMailed, answer } = await readAnswer(txContext, use, true)
    const clear = { token_hash: null, mark_hash: null, email: null, answer: null }
    const result = answer.link
      ? await (answer.link.renews ? renewCaller : linkCaller)(txContext, answer, answer.link, use.caller)
      : await signIn(txContext, answer, isMailed, use)
    const kept = result === 'mail' ? { token_hash: null, email: answer.email } : clear
    const at = new Date(context.clock() + (result === 'mail' ? MICROSOFT_MAIL_MS : MICROSOFT_SIGN_IN_MS))
    await db
      .updateTable('microsoft_sign_ins')
      .set({ ...kept, expires_at: at })
      .where('token_hash', '=', hashLinkToken(use.token))
      .where('mark_hash', 'in', use.marks.map(hashLinkToken))
      .execute()
    if (typeof result === 'string' && result !== 'mail' && result !== 'linked') {
      const target = await findByEmail(db, answer.email)
      const after = { reason: result, detail: MICROSOFT_REFUSALS[result] }
      await recordAudit(txContext, { action: 'microsoft-refused', after, ...(target && { target }) })
    }
    return { result, email: answer.email }
  })
  const { result, email } = outcome
  if (typeof result !== 'string') return result
  if (result === 'linked') return { email, state: 'linked' }
  if (result !== 'mail') throw new ProblemError('forbidden', { detail: MICROSOFT_REFUSALS[result] })
  // Counted after the transaction: the embedded database has one connection.
  await limitMailsPerRecipient(context, 'microsoft', email)
  await queueMail(context, 'microsoft-link', email)
  return { email, state: 'mailed' }
}

/** @throws ProblemError rate-limited for many unknown tokens of one address */
async function limitUnknownTokens(context: AccountContext, { token }: MicrosoftUse): Promise<void> {
  const isKnown = async () => {
    const row = context.db.selectFrom('microsoft_sign_ins').select('email')
    return (await row.where('token_hash', '=', hashLinkToken(token)).executeTakeFirst()) !== undefined
  }
  await context.consumeRateLimit(
    `email-link ${toIpPrefix(context.request.ip)}`,
    UNKNOWN_LINKS_PER_IP,
    isKnown,
  )
}

/** @param lock whether to lock the row until the transaction ends */
async function readAnswer(context: AccountContext, { token, marks }: MicrosoftUse, lock = false) {
  const { db, clock, tokens } = context
  if (marks.length === 0) throw createStaleError()
  const row = await db
    .selectFrom('microsoft_sign_ins')
    .selectAll()
    .where('token_hash', '=', hashLinkToken(token))
    .where('mark_hash', 'in', marks.map(hashLinkToken))
    .where('expires_at', '>', new Date(clock()))
    // Two attempts that wait for the same mail share its link.
    .orderBy('expires_at', 'desc')
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  const answer = row?.answer && openJson<MicrosoftAnswer>(tokens, row.answer)
  const isMailed = row?.email != null
  if (!row || !answer || (!isMailed && answer.until <= clock())) throw createStaleError()
  return { isMailed, answer }
}

/** @param isMailed whether the owner of the mailbox has used a mailed link */
async function signIn(
  context: AccountContext,
  answer: MicrosoftAnswer,
  isMailed: boolean,
  { deviceToken }: MicrosoftUse,
): Promise<Session | 'mail' | MicrosoftRefusal> {
  const { db, clock } = context
  const linked = await findIdentity(context, answer)
  let userId = linked?.user_id
  if (!userId) {
    const known = await findByEmail(db, answer.email)
    const isProved = answer.isVerified && answer.email !== context.builtinAdminEmail
    // The directory's word makes an account, but takes none that its owner has proved already.
    if (!isMailed && (known?.email_verified_at || !isProved)) return 'mail'
    const owner = await claimAccount(context, answer)
    if (await hasIdentity(context, owner.user_id)) return 'other-account-linked'
    await link(context, answer, owner)
    userId = owner.user_id
  }
  // Locked, so that a deletion at the same time leaves no session.
  if (!(await lockProfile(db, userId))) throw createStaleError()
  const now = new Date(clock())
  await recordLastAccess(db, userId, now)
  await keepAnswer(context, answer)
  await suggestGroupAccess(context, userId)
  const profile = (await findProfile(db, userId)) as Profile
  const { deviceId, knownDevice } = await identifyDevice(context, profile.email, deviceToken)
  const device_token = await rememberDevice(context, profile, deviceId)
  // It is no stand-in for a factor that is held here: the mailbox alone may have linked the account.
  const isMultiFactor = answer.isMultiFactor && !hasVerified(await listFactors(db, userId))
  const session = await openSession(context, {
    profile,
    kind: 'full',
    by: 'microsoft',
    knownDevice,
    isByMailedLink: isMailed,
    isMultiFactor,
    authenticatedAt: toProofTime(answer, now),
    endsAt: new Date(now.getTime() + context.entraSessionHours * HOUR_MS),
  })
  await recordSignIn(context, session, isMultiFactor ? 'microsoft+mfa' : 'microsoft')
  return { ...session, device_token }
}

/** The directory's clock may be ahead. */
const toProofTime = ({ authenticatedAt }: MicrosoftAnswer, now: Date) =>
  authenticatedAt === null ? null : new Date(Math.min(authenticatedAt, now.getTime()))

const findIdentity = ({ db }: AccountContext, { tenantId, objectId }: MicrosoftAnswer) =>
  db
    .selectFrom('identities')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('object_id', '=', objectId)
    .executeTakeFirst()

const hasIdentity = async ({ db }: AccountContext, userId: string) =>
  (await db.selectFrom('identities').select('email').where('user_id', '=', userId).executeTakeFirst()) !==
  undefined

/**
 * Locks the account of an address whose owner is here, and creates it if there is none. Whatever was
 * done with it before its address was proved is discarded.
 */
async function claimAccount(
  context: AccountContext,
  { email, name }: MicrosoftAnswer,
): Promise<Selectable<ProfilesTable>> {
  const { db } = context
  const isNew = !(await findByEmail(db, email))
  const owner = await lockAccount(context, email)
  if (owner.email_verified_at) return owner
  const { user_id: userId } = owner
  if (isNew) await recordAudit(context, { action: 'account-created', actor: owner, target: owner })
  await revokeUnverifiedAccess(db, userId)
  await clearUnverifiedRequest(db, userId)
  await clearFailures(db, email)
  await confirmEmail(context, owner)
  const named = db.updateTable('profiles').set({ full_name: name }).where('user_id', '=', userId)
  if (name !== null) await named.where('full_name', 'is', null).execute()
  if (isNew && !(await findProfile(db, userId))?.approved) await queueWaitingDigest(context, userId)
  return owner
}

/**
 * Links a Microsoft account; its owner learns of it by mail. Other sessions end.
 * @param kept the session that links it
 */
async function link(
  context: AccountContext,
  { tenantId, objectId, email }: MicrosoftAnswer,
  person: Pick<Profile, 'user_id' | 'email'>,
  kept?: string,
): Promise<void> {
  const { db } = context
  const at = new Date(context.clock())
  // Sessions, links and factors that others began end with the link.
  const others = db.deleteFrom('sessions').where('user_id', '=', person.user_id)
  await others.$if(kept !== undefined, (all) => all.where('id', '!=', kept as string)).execute()
  const unverified = db.deleteFrom('factors').where('user_id', '=', person.user_id)
  await unverified.where('verified_at', 'is', null).execute()
  await cancelLinks(db, person.user_id, ['recovery', 'factor'])
  await db
    .insertInto('identities')
    .values({
      tenant_id: tenantId,
      object_id: objectId,
      user_id: person.user_id,
      email,
      linked_at: at,
      last_used_at: at,
    })
    .execute()
  // Without ids of the directory, which would outlive a deletion.
  await recordAudit(context, { action: 'microsoft-linked', actor: person, target: person })
  await queueMail(context, 'microsoft-linked', person.email)
}

/** Keeps what the directory said at this sign-in; groups only where the claim was complete. */
async function keepAnswer(context: AccountContext, answer: MicrosoftAnswer): Promise<void> {
  const { db, clock, tokens } = context
  const { groups, refreshToken, missing } = answer
  const at = new Date(clock())
  await db
    .updateTable('identities')
    .set({
      email: answer.email,
      last_used_at: at,
      missing_claims: missing,
      ...(groups && { groups, groups_at: at }),
      ...(refreshToken && { refresh_token: sealJson(tokens, { refreshToken }), asked_at: at }),
    })
    .where('tenant_id', '=', answer.tenantId)
    .where('object_id', '=', answer.objectId)
    .execute()
}

/** Links to the session that asked for it alone: the mark may come from another person. */
async function linkCaller(
  context: AccountContext,
  answer: MicrosoftAnswer,
  { userId, sessionId }: SessionTicket,
  caller: Actor | undefined,
): Promise<'linked' | MicrosoftRefusal> {
  if (caller?.sessionId !== sessionId || caller.sessionKind !== 'full') throw createStaleError()
  const person = await lockProfile(context.db, userId)
  if (!person) throw createStaleError()
  if (!person.email_verified_at) return 'unverified'
  if (answer.email !== person.email) return 'address-differs'
  if (await findIdentity(context, answer)) return 'already-linked'
  if (await hasIdentity(context, userId)) return 'other-account-linked'
  await link(context, answer, person, sessionId)
  await keepAnswer(context, answer)
  return 'linked'
}

/** Makes the session that asked recent, by the linked account that was just entered. */
async function renewCaller(
  context: AccountContext,
  answer: MicrosoftAnswer,
  { userId, sessionId, until }: SessionTicket,
  caller: Actor | undefined,
): Promise<RenewedSession | MicrosoftRefusal> {
  if (caller?.sessionId !== sessionId) throw createStaleError()
  if (!(await lockProfile(context.db, userId))) throw createStaleError()
  if ((await findIdentity(context, answer))?.user_id !== userId) return 'other-person'
  if (answer.authenticatedAt === null) return 'auth-time-missing'
  const begunAt = until - MICROSOFT_SIGN_IN_MS
  if (answer.authenticatedAt < begunAt - CLOCK_TOLERANCE * 1000) return 'not-renewed'
  await keepAnswer(context, answer)
  const at = toProofTime(answer, new Date(context.clock())) as Date
  const renewed = await renewAuthentication({ ...context, actor: caller }, 'microsoft', at)
  const { refreshCounter } = caller
  return issueAccessToken(context, { userId, sessionId, refreshCounter, ...renewed })
}

const refuse = (refusal: MicrosoftRefusal) =>
  new ProblemError('forbidden', { detail: MICROSOFT_REFUSALS[refusal] })

/** Begins to renew, for this session alone. @throws ProblemError forbidden */
export async function beginRenewal(context: OwnAccountContext, markHash: string) {
  if (!context.microsoft) throw new ProblemError('not-found')
  const { email } = await readOwnIdentity(context)
  if (email === null) throw refuse('not-linked')
  return toLocation(context, markHash, { renews: email })
}

/** The ticket ties what comes back to the session that asks. */
function toLocation(
  { actor, clock, tokens }: OwnAccountContext,
  markHash: string,
  what: Pick<SessionTicket, 'renews'> = {},
) {
  const { profile, sessionId } = actor
  const until = clock() + MICROSOFT_SIGN_IN_MS
  const ticket: SessionTicket = { userId: profile.user_id, sessionId, until, ...what }
  const sealed = Buffer.from(sealJson(tokens, ticket)).toString('base64url')
  return { location: `/auth/microsoft?mark=${markHash}&ligar=${sealed}` }
}

/** Begins linking, for this session alone. @throws ProblemError forbidden */
export async function beginLink(context: OwnAccountContext, markHash: string) {
  const { actor, clock, db } = context
  if (!context.microsoft) throw new ProblemError('not-found')
  if (!actor.profile.email_verified_at) throw refuse('unverified')
  if (await isPreviousVersionActive(db, clock())) throw refuse('upgrading')
  return toLocation(context, markHash)
}

export async function readOwnIdentity(
  context: OwnAccountContext,
): Promise<ReplyOf<typeof microsoftRoutes.readOwnIdentity>> {
  const { db, actor, onlyMicrosoft, builtinAdminEmail } = context
  const { user_id: userId, email: address } = actor.profile
  const opens = !onlyMicrosoft || address === builtinAdminEmail
  const own = await db.selectFrom('identities').selectAll().where('user_id', '=', userId).executeTakeFirst()
  const password = db.selectFrom('passwords').select('user_id').where('user_id', '=', userId)
  return {
    offered: context.microsoft !== undefined,
    email: own?.email ?? null,
    linked_at: own?.linked_at.toISOString() ?? null,
    last_used_at: own?.last_used_at.toISOString() ?? null,
    has_password: opens && (await password.executeTakeFirst()) !== undefined,
  }
}

/** @throws ProblemError not-found; conflict for a person without a password */
export async function unlinkOwnIdentity(context: OwnAccountContext): Promise<undefined> {
  const { actor, onlyMicrosoft } = context
  const { profile, sessionId } = actor
  await context.db.transaction().execute(async (db) => {
    const txContext: Context = { ...context, db }
    await lockProfile(db, profile.user_id)
    const { email, has_password } = await readOwnIdentity({ ...context, db })
    if (email === null)
      throw new ProblemError('not-found', { detail: 'Nenhuma conta Microsoft está ligada.' })
    if (onlyMicrosoft || !has_password)
      throw new ProblemError('conflict', {
        detail: onlyMicrosoft
          ? 'Neste portal só se entra com a conta Microsoft: ela não pode ser desligada.'
          : 'Crie primeiro uma senha, com “Esqueci minha senha” no login: sem ela você não entraria mais.',
      })
    await db.deleteFrom('identities').where('user_id', '=', profile.user_id).execute()
    await db
      .deleteFrom('sessions')
      .where('user_id', '=', profile.user_id)
      .where('ends_at', 'is not', null)
      .where('id', '!=', sessionId)
      .execute()
    await recordAudit(txContext, { action: 'microsoft-unlinked', target: profile })
  })
  return undefined
}

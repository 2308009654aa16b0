import type { WantedSessionKind } from '#contract/access.ts'
import type { LinkState, Session } from '#contract/accounts.ts'
import {
  checkPassword,
  createResetFormSchema,
  forcedChangeFormSchema,
  passwordMessages,
} from '#contract/passwords.ts'
import type { Profile } from '#contract/users.ts'
import { lockCatalogue } from '#server/catalogue/catalogue.ts'
import type { Actor } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { clearUnverifiedRequest } from '#server/users/access-requests.ts'
import { findProfile } from '#server/users/user-queries.ts'
import { setRole } from '#server/users/user-roles.ts'
import type { AccountContext } from './account-context.ts'
import { cancelLinks, type EmailLink, limitUnknownLinks, lockLink, markVerified } from './email-links.ts'
import { HOUR_MS, hashLinkToken, SIGN_UP_LINK_MS } from './mails.ts'
import { openSession, recordLastAccess } from './sessions.ts'
import { consumeResetLimit, deletePassword, endSessionsOnReset, replacePassword } from './set-password.ts'
import { rejectPasswords, rememberDevice } from './sign-in.ts'

interface LinkUse {
  type: 'signup' | 'recovery'
  token: string
  /** Confirmation mark that POST /signup returned to the browser that signed up. */
  mark: string | undefined
  /** Session of the request, if any. */
  caller: Actor | undefined
}

/**
 * Returns what using a link would require, without using it.
 * @throws ProblemError invalid-link for a link that is unknown, used or expired; rate-limited
 */
export async function previewLink(context: AccountContext, use: LinkUse): Promise<LinkState> {
  await limitUnknownLinks(context, use.token)
  return context.db.transaction().execute(async (db) => {
    const txContext = { ...context, db }
    const purposes = use.type === 'signup' ? (['signup', 'signup-used'] as const) : (['recovery'] as const)
    const link = await lockLink(txContext, use.token, [...purposes])
    return { email: link.owner.email, state: await getLinkState(txContext, link, use) }
  })
}

/**
 * Uses a verification or reset link. Without a password it opens a session: full if the password of
 * the sign-up may stay, else one that may only set a password. With a password it sets that first; a
 * reset then returns its own session, already ended.
 * @throws ProblemError rate-limited; invalid-link if unknown, used, expired or too old for a password;
 *   password-rejected with the broken rule as detail, which does not use the link
 */
export async function verifyEmailLink(
  context: AccountContext,
  use: LinkUse & { password: string | undefined },
): Promise<Session> {
  await limitUnknownLinks(context, use.token)
  if (use.password !== undefined) return setPassword(context, { ...use, password: use.password })
  return context.db.transaction().execute(async (db) => {
    const txContext = { ...context, db }
    await lockCatalogue(db)
    const link = await lockLink(txContext, use.token, [use.type])
    const { owner } = link
    rejectPasswords(context, owner.email)
    if (use.type === 'recovery') {
      await cancelLinks(db, owner.user_id, ['recovery'])
      return openOwnerSession(txContext, owner, 'recovery')
    }
    const state = await getLinkState(txContext, link, use)
    if (state === 'used') throw new ProblemError('invalid-link')
    if (state === 'too-late') throw createTooLateError()
    if (state === 'confirms') {
      await confirmEmail(txContext, owner)
      const session = await openOwnerSession(txContext, owner, 'full')
      // A signed-in browser has its device token already.
      if (use.caller?.profile.user_id === owner.user_id) return session
      return { ...session, device_token: await rememberDevice(txContext, owner) }
    }
    // The author of the old password has not proved to own the address.
    await deletePassword(db, owner.user_id)
    await clearUnverifiedRequest(db, owner.user_id)
    await confirmEmail(txContext, owner)
    return openOwnerSession(txContext, owner, 'recovery')
  })
}

async function getLinkState(
  context: AccountContext,
  link: EmailLink,
  { mark, caller }: LinkUse,
): Promise<LinkState['state']> {
  const { owner, purpose } = link
  if (purpose === 'recovery') return 'asks-password'
  const isOwn = caller?.sessionKind === 'full' && caller.profile.user_id === owner.user_id
  if (owner.email_verified_at) {
    if (isOwn) return 'used'
    throw new ProblemError('invalid-link')
  }
  if (await canKeepPassword(context, owner, { mark, isOwn })) return 'confirms'
  return isInFirstHour(context, link) ? 'asks-password' : 'too-late'
}

/**
 * Checks whether the sign-up's password is the link owner's: there was one sign-up, and this browser
 * made it or has signed in with it. Never for the built-in administrator.
 */
async function canKeepPassword(
  context: AccountContext,
  owner: EmailLink['owner'],
  { mark, isOwn }: { mark: string | undefined; isOwn: boolean },
): Promise<boolean> {
  const { db, clock, builtinAdminEmail } = context
  if (owner.email === builtinAdminEmail) return false
  const signUp = await db
    .selectFrom('sign_ups')
    .selectAll()
    .where('user_id', '=', owner.user_id)
    .executeTakeFirst()
  if (signUp && signUp.count > 1) return false
  if (isOwn) return true
  if (!signUp?.mark_hash || mark === undefined || signUp.mark_expires_at.getTime() <= clock()) return false
  return Buffer.from(signUp.mark_hash).equals(hashLinkToken(mark))
}

function isInFirstHour({ clock }: AccountContext, { expires_at }: EmailLink): boolean {
  return expires_at.getTime() - clock() > SIGN_UP_LINK_MS - HOUR_MS
}

const createTooLateError = () =>
  new ProblemError('invalid-link', {
    detail:
      'Este link tem mais de uma hora e já não serve para criar a senha. Peça um novo e-mail de confirmação.',
  })

/** Hashing takes long: the link is used later, in the transaction that writes the password. */
async function setPassword(context: AccountContext, use: LinkUse & { password: string }): Promise<Session> {
  const open = async (txContext: AccountContext) => {
    const link = await lockLink(txContext, use.token, [use.type])
    if (use.type === 'signup' && link.owner.email_verified_at) throw new ProblemError('invalid-link')
    if (use.type === 'signup' && !isInFirstHour(context, link)) throw createTooLateError()
    return link.owner
  }
  const { password, type } = use
  const person = await context.db.transaction().execute((db) => open({ ...context, db }))
  rejectPasswords(context, person.email)
  const fault = checkPassword(type === 'signup' ? forcedChangeFormSchema : createResetFormSchema(), password)
  if (fault) throw new ProblemError('password-rejected', { detail: fault })
  await consumeResetLimit(context, person.user_id)
  const session = await replacePassword(context, {
    person,
    password,
    action: 'password-reset',
    isFirst: type === 'signup',
    async alongside(txContext) {
      const owner = await open(txContext)
      if (type === 'signup') {
        await clearUnverifiedRequest(txContext.db, owner.user_id)
        await confirmEmail(txContext, owner)
        return openOwnerSession(txContext, owner, 'full', 'password')
      }
      const session = await openOwnerSession(txContext, owner, 'recovery')
      await endSessionsOnReset(txContext, owner)
      return session
    },
  })
  if (!session) throw new ProblemError('password-rejected', { detail: passwordMessages.reused })
  return session
}

async function openOwnerSession(
  context: AccountContext,
  { user_id: userId }: EmailLink['owner'],
  kind: WantedSessionKind,
  by: 'password' | 'link' = 'link',
): Promise<Session> {
  await recordLastAccess(context.db, userId, new Date(context.clock()))
  const profile = (await findProfile(context.db, userId)) as Profile
  return openSession(context, { profile, kind, by, isByMailedLink: true })
}

/**
 * Ends every earlier session at the first verification: its holder had not proved to own the e-mail.
 * Also promotes the built-in administrator, who is never promoted before.
 */
export async function confirmEmail(context: AccountContext, owner: EmailLink['owner']): Promise<void> {
  const { db } = context
  const userId = owner.user_id
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
  await markVerified(context, userId)
  await recordAudit(context, { action: 'email-verified', actor: owner, target: owner })
  if (owner.email !== context.builtinAdminEmail) return
  await db.updateTable('profiles').set({ approved: true }).where('user_id', '=', userId).execute()
  await setRole(context, { person: owner, role: 'admin' })
}

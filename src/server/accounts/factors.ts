import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { isRecentlyAuthenticated } from '#contract/access.ts'
import { normalizeCode } from '#contract/accounts.ts'
import { type FactorType, MAX_FACTORS, RECOVERY_CODES } from '#contract/factors.ts'
import { PROBLEMS } from '#contract/problem.ts'
import type { Db } from '#server/database/schema.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { lockProfile } from '#server/users/user-queries.ts'
import type { OwnAccountContext } from './account-context.ts'
import { cancelLinks, limitMailsPerRecipient, limitUnknownLinks, lockLink } from './email-links.ts'
import { HOUR_MS } from './mails.ts'
import type { FactorRow } from './passkeys.ts'
import { deleteFactors, isPreviousVersionActive } from './second-factor.ts'
import { createTotpSecret } from './totp.ts'

export const DEFAULT_NAMES: Record<FactorType, string> = {
  totp: 'Aplicativo de códigos',
  webauthn: 'Chave de acesso',
}

/**
 * Checks whether the caller's session may add a factor, which could lock the owner out: of a verified
 * address, and in a browser that the account has long known or that used a mailed link.
 * @throws ProblemError reauthentication-needed, second-factor-required, conflict, factor-link-needed
 */
export async function assertMayEnrol(context: OwnAccountContext): Promise<FactorRow[]> {
  const { db, actor, clock } = context
  const { profile, sessionId } = actor
  // Also where a factor that was begun long ago is verified: a stolen access token alone adds none.
  if (!isRecentlyAuthenticated(actor, 'account')) throw new ProblemError('reauthentication-needed')
  const linkedAfter = new Date(clock() - HOUR_MS)
  const own = await listOwnFactors(db, profile.user_id)
  // The password alone adds nothing to an account with a second step.
  if (actor.sessionKind === 'aal1' && own.some(({ verified_at }) => verified_at))
    throw new ProblemError('second-factor-required')
  if (!profile.email_verified_at)
    throw new ProblemError('conflict', {
      detail: 'Confirme seu e-mail primeiro: o link está na sua caixa de entrada.',
    })
  if (await isPreviousVersionActive(db, clock()))
    throw new ProblemError('conflict', {
      detail:
        'A verificação em duas etapas abre uma hora depois que a atualização do portal terminar. Tente mais tarde.',
    })
  if (own.filter(({ verified_at }) => verified_at).length >= MAX_FACTORS)
    throw new ProblemError('limit-reached', { detail: `São no máximo ${MAX_FACTORS}. Remova um antes.` })
  const { rows } = await sql<{ is_allowed: boolean }>`
    select s.enrolment_allowed_at > ${linkedAfter} or (s.known_device is not null and not coalesce(f.needs_link, false))
      as is_allowed
    from sessions s left join factor_settings f on f.user_id = s.user_id where s.id = ${sessionId}`.execute(
    db,
  )
  if (!rows[0]?.is_allowed) throw new ProblemError('factor-link-needed')
  return own
}

export function listOwnFactors(db: Db, userId: string): Promise<FactorRow[]> {
  return db.selectFrom('factors').selectAll().where('user_id', '=', userId).orderBy('created_at').execute()
}

/** Each change leaves an audit entry, and most a mail. */
const CHANGES = { max: 20, windowSeconds: 3600 }

/** @throws ProblemError rate-limited */
export function limitFactorChanges({ actor, consumeRateLimit }: OwnAccountContext): Promise<void> {
  return consumeRateLimit(`factor-changes ${actor.profile.user_id}`, CHANGES)
}

/** Begins a factor; earlier ones that were never verified go. */
export async function enrolFactor(
  context: OwnAccountContext,
  { type, name, issuer }: { type: FactorType; name?: string | undefined; issuer?: string | undefined },
) {
  const { db, actor, clock, tokens, groupName } = context
  const { user_id, email } = actor.profile
  await assertMayEnrol(context)
  await limitFactorChanges(context)
  const created =
    type === 'totp' ? createTotpSecret({ issuer: issuer || groupName, label: email }) : undefined
  const row = await db.transaction().execute(async (transaction) => {
    await lockProfile(transaction, user_id)
    await transaction
      .deleteFrom('factors')
      .where('user_id', '=', user_id)
      .where('verified_at', 'is', null)
      .execute()
    return transaction
      .insertInto('factors')
      .values({
        user_id,
        factor_type: type,
        created_at: new Date(clock()),
        friendly_name: name || DEFAULT_NAMES[type],
        secret: created ? tokens.factorSecrets.seal(created.bytes) : null,
      })
      .returning(['id', 'friendly_name'])
      .executeTakeFirstOrThrow()
  })
  return { ...row, type, ...(created && { totp: created.totp }) }
}

/**
 * Records that a factor was verified for the first time, in its transaction: sessions of one step end
 * with the first one, and the owner is mailed.
 */
export async function completeEnrolment(
  context: OwnAccountContext,
  { factor, isFirst }: { factor: Pick<FactorRow, 'id' | 'factor_type' | 'friendly_name'>; isFirst: boolean },
): Promise<void> {
  const { db, actor } = context
  const { user_id, email } = actor.profile
  if (isFirst)
    await db
      .deleteFrom('sessions')
      .where('user_id', '=', user_id)
      .where('id', '!=', actor.sessionId)
      .execute()
  await db.updateTable('factor_settings').set({ needs_link: false }).where('user_id', '=', user_id).execute()
  const after = { name: factor.friendly_name, type: factor.factor_type }
  await recordAudit(context, { action: 'factor-added', target: actor.profile, after })
  await queueMail({ db }, 'factor-added', email, factor.id)
}

/** Removes one of the caller's factors; the recovery codes go with the last. @throws not-found */
export async function removeFactor(context: OwnAccountContext, id: string): Promise<{ id: string }> {
  const { actor } = context
  const { user_id, email } = actor.profile
  await limitFactorChanges(context)
  await context.db.transaction().execute(async (db) => {
    await lockProfile(db, user_id)
    const removed = await db
      .deleteFrom('factors')
      .where('id', '=', id)
      .where('user_id', '=', user_id)
      .returningAll()
      .executeTakeFirst()
    if (!removed) throw new ProblemError('not-found', { detail: 'Esta segunda etapa já foi removida.' })
    if (!removed.verified_at) return
    const rest = await listOwnFactors(db, user_id)
    if (!rest.some(({ verified_at }) => verified_at))
      await db.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute()
    const before = { id, name: removed.friendly_name, type: removed.factor_type }
    await recordAudit({ ...context, db }, { action: 'factor-removed', target: actor.profile, before })
    await queueMail({ db }, 'factor-removed', email)
  })
  return { id }
}

/** Mails the link that allows a browser to enrol. @throws ProblemError rate-limited */
export async function requestFactorLink(context: OwnAccountContext): Promise<undefined> {
  const { db, actor } = context
  const own = await listOwnFactors(db, actor.profile.user_id)
  if (actor.sessionKind === 'aal1' && own.some(({ verified_at }) => verified_at))
    throw new ProblemError('conflict', { detail: PROBLEMS['second-factor-required'][2] })
  await limitMailsPerRecipient(context, 'factor-link', actor.profile.email)
  await queueMail({ db }, 'factor-link', actor.profile.email)
  return undefined
}

/** Uses it, in a session of its owner. @throws ProblemError invalid-link, rate-limited */
export async function useFactorLink(context: OwnAccountContext, token: string): Promise<undefined> {
  const { actor, clock } = context
  await limitUnknownLinks(context, token)
  await context.db.transaction().execute(async (db) => {
    const { owner } = await lockLink({ ...context, db }, token, ['factor'])
    if (owner.user_id !== actor.profile.user_id)
      throw new ProblemError('invalid-link', {
        detail: 'Este link é de outra conta. Entre com a conta que o pediu e abra-o de novo.',
      })
    await cancelLinks(db, owner.user_id, ['factor'])
    await db
      .updateTable('sessions')
      .set({ enrolment_allowed_at: new Date(clock()) })
      .where('id', '=', actor.sessionId)
      .execute()
  })
  return undefined
}

/**
 * Removes what a person has lost, at the request of an administrator; call it in a transaction.
 * @returns false if there was no second factor
 */
export async function resetFactors(
  context: PublicContext & Partial<Pick<OwnAccountContext, 'actor'>>,
  person: { user_id: string; email: string },
): Promise<boolean> {
  const { db } = context
  if (!(await deleteFactors(db, person.user_id))) return false
  await db.deleteFrom('sessions').where('user_id', '=', person.user_id).execute()
  await requireLinkNext(db, person.user_id)
  await queueMail({ db }, 'factor-reset', person.email)
  await recordAudit(context, { action: 'factor-reset', target: person })
  return true
}

/** The next factor needs the mailed link: the present ones may be in other hands. */
export async function requireLinkNext(db: Db, userId: string): Promise<void> {
  await sql`insert into factor_settings (user_id, needs_link) values (${userId}, true)
    on conflict (user_id) do update set needs_link = true`.execute(db)
}

/** Spares the factors that the owner adds from now on from the links of older ones. */
export async function recordRecovery({ db, clock }: Pick<PublicContext, 'db' | 'clock'>, userId: string) {
  await sql`insert into factor_settings (user_id, recovered_at) values (${userId}, ${new Date(clock())})
    on conflict (user_id) do update set recovered_at = excluded.recovered_at`.execute(db)
}

/** 32 letters and digits without look-alikes. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 16

/** Hashes a recovery code without its dashes. */
export function hashRecoveryCode(code: string): Uint8Array {
  return createHash('sha256').update(normalizeCode(code)).digest()
}

/**
 * Creates ten recovery codes of 80 random bits, of which only hashes are kept.
 * @param replaces whether there may be earlier ones, which stop serving
 */
export async function createRecoveryCodes(context: OwnAccountContext, replaces: boolean) {
  const { actor, clock } = context
  const { user_id, email } = actor.profile
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const letters = [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length])
    return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-')
  })
  const id = randomUUID()
  await limitFactorChanges(context)
  await context.db.transaction().execute(async (db) => {
    await lockProfile(db, user_id)
    const own = await listOwnFactors(db, user_id)
    if (!own.some(({ verified_at }) => verified_at))
      throw new ProblemError('conflict', {
        detail: 'Configure primeiro um aplicativo ou uma chave de acesso.',
      })
    const { numDeletedRows } = await db
      .deleteFrom('recovery_codes')
      .where('user_id', '=', user_id)
      .executeTakeFirst()
    if (numDeletedRows > 0n && !replaces)
      throw new ProblemError('conflict', { detail: 'Você já tem códigos de recuperação.' })
    const created_at = new Date(clock())
    await db
      .insertInto('recovery_codes')
      .values(codes.map((code) => ({ code_hash: hashRecoveryCode(code), user_id, set_id: id, created_at })))
      .execute()
    await recordAudit({ ...context, db }, { action: 'recovery-codes-created', target: actor.profile })
    if (numDeletedRows > 0n) await queueMail({ db }, 'recovery-codes-replaced', email)
  })
  return { id, type: 'recovery_code' as const, total: codes.length, codes }
}

/** @throws ProblemError not-found without codes */
export async function readRecoveryCodes({ db, actor }: OwnAccountContext) {
  const rows = await db
    .selectFrom('recovery_codes')
    .selectAll()
    .where('user_id', '=', actor.profile.user_id)
    .execute()
  const [first] = rows
  if (!first) throw new ProblemError('not-found', { detail: 'Você não tem códigos de recuperação.' })
  const remaining = rows.filter(({ used_at }) => !used_at).length
  return { id: first.set_id, type: 'recovery_code' as const, total: rows.length, remaining }
}

export async function removeRecoveryCodes(context: OwnAccountContext): Promise<{ id: string }> {
  const { id } = await readRecoveryCodes(context)
  await limitFactorChanges(context)
  const { db, actor } = context
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('recovery_codes').where('set_id', '=', id).execute()
    await recordAudit(
      { ...context, db: transaction },
      { action: 'recovery-codes-removed', target: actor.profile },
    )
  })
  return { id }
}

import { sql } from 'kysely'
import type { Session } from '#contract/accounts.ts'
import type { CredentialAnswer } from '#contract/factors.ts'
import type { Db } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAccess, recordAudit } from '#server/operations/audit.ts'
import { lockProfile, presentProfile } from '#server/users/user-queries.ts'
import type { AccountContext, OwnAccountContext } from './account-context.ts'
import { countFactorRefusal, createFactorRefusal } from './factor-refusals.ts'
import { limitFactorChanges } from './factors.ts'
import { checkAssertion, createRequestOptions, type FactorRow } from './passkeys.ts'
import { openSession, recordLastAccess } from './sessions.ts'
import { rejectPasswords } from './sign-in.ts'
import { presentPasskey } from './verify-factor.ts'

/** For credentials that nobody has; high, because a dealership shares one address. */
const UNKNOWN_PER_IP = { max: 60, windowSeconds: 300, perIp: 'kept' } as const
/** Of one passkey at one address, so that nobody else's is refused; only failures count. */
const FAILURES = { max: 60, windowSeconds: 300, perIp: 'refunded' } as const
const SIGN_IN = 'sign-in'

/** Creates a challenge for whoever has a passkey; it costs no row. */
export async function startPasskeySignIn(context: AccountContext) {
  const { id, nonce, expiresAt } = await context.challenges.create({ target: SIGN_IN })
  const options = await createRequestOptions(context, nonce)
  return { challenge_id: id, options: { ...options }, expires_at: expiresAt }
}

/**
 * Signs in with a passkey alone: the device and its PIN or fingerprint are two steps.
 * @throws ProblemError factor-refused, rate-limited
 */
export async function verifyPasskeySignIn(
  context: AccountContext,
  answer: { challengeId: string; credential: CredentialAnswer },
): Promise<Session> {
  const { db, request, countRefusal } = context
  const ip = toIpPrefix(request.ip)
  let factor: FactorRow | undefined
  const isKnown = async () => {
    factor ??= await findPasskey(db, answer.credential.id)
    return factor !== undefined
  }
  await context.consumeRateLimit(`passkey ${ip}`, UNKNOWN_PER_IP, isKnown)
  if (!(await isKnown()) || !factor) {
    countRefusal({ email: '', outcome: 'passkey-unknown', ip: request.ip })
    throw createFactorRefusal('passkey-unknown')
  }
  const key = `passkey ${factor.id} ${ip}`
  await context.consumeRateLimit(key, FAILURES)
  const session = await signInByPasskey(context, answer, factor)
  await context.refundRateLimit(key)
  return session
}

const findPasskey = (db: Db, credentialId: string): Promise<FactorRow | undefined> =>
  db
    .selectFrom('factors')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .where('verified_at', 'is not', null)
    .executeTakeFirst()

async function signInByPasskey(
  context: AccountContext,
  { challengeId, credential }: { challengeId: string; credential: CredentialAnswer },
  factor: FactorRow,
): Promise<Session> {
  const { db, clock, challenges } = context
  try {
    const challenge = await challenges.read(challengeId)
    if (challenge?.target !== SIGN_IN) throw createFactorRefusal('challenge-ended')
    if (challenge.isUsed) throw createFactorRefusal('passkey-replayed')
    const { nonce } = challenge
    const counter = await checkAssertion(context, { answer: credential, nonce, factor })
    return await db.transaction().execute(async (transaction) => {
      const txContext = { ...context, db: transaction }
      const found = await lockProfile(transaction, factor.user_id)
      const at = new Date(clock())
      const { numUpdatedRows } = await transaction
        .updateTable('factors')
        .set({ counter, last_used_at: at })
        .where('id', '=', factor.id)
        // Of a passkey and its copy at once, one is refused.
        .where(sql<boolean>`(coalesce(counter, 0) = ${factor.counter ?? 0} or ${counter}::bigint = 0)`)
        .executeTakeFirst()
      if (!found) throw createFactorRefusal('passkey-unknown')
      if (numUpdatedRows === 0n) throw createFactorRefusal('passkey-counter')
      // Where Microsoft alone signs in, a passkey of a leaver must not.
      rejectPasswords(context, found.email)
      if (!(await challenges.use(transaction, challenge))) throw createFactorRefusal('passkey-replayed')
      await recordLastAccess(transaction, found.user_id, at)
      await recordAccess(txContext, { action: 'sign-in', userId: found.user_id, method: 'passkey' })
      const profile = presentProfile({ ...found, last_sign_in_at: at })
      return openSession(txContext, { profile, kind: 'full', by: 'passkey' })
    })
  } catch (error) {
    const owner = await db
      .selectFrom('profiles')
      .select('email')
      .where('user_id', '=', factor.user_id)
      .executeTakeFirst()
    if (owner) await countFactorRefusal(context, owner.email, error)
    throw error
  }
}

export async function listPasskeys({ db, actor }: OwnAccountContext) {
  const rows: FactorRow[] = await db
    .selectFrom('factors')
    .selectAll()
    .where('user_id', '=', actor.profile.user_id)
    .where('factor_type', '=', 'webauthn')
    .where('verified_at', 'is not', null)
    .orderBy('created_at')
    .execute()
  return rows.map(presentPasskey)
}

/** Renames a factor of either type. @throws ProblemError not-found */
export async function renamePasskey(context: OwnAccountContext, { id, name }: { id: string; name: string }) {
  const { profile } = context.actor
  await limitFactorChanges(context)
  return context.db.transaction().execute(async (db) => {
    await lockProfile(db, profile.user_id)
    const own = db.selectFrom('factors').selectAll().where('user_id', '=', profile.user_id)
    const row = await own.where('id', '=', id).executeTakeFirst()
    if (!row) throw new ProblemError('not-found', { detail: 'Esta segunda etapa já foi removida.' })
    if (row.friendly_name !== name) {
      await db.updateTable('factors').set({ friendly_name: name }).where('id', '=', id).execute()
      const before = { id, name: row.friendly_name }
      const entry = { action: 'factor-renamed' as const, target: profile, before, after: { name } }
      // A name before the first code protects nothing yet.
      if (row.verified_at) await recordAudit({ ...context, db }, entry)
    }
    return presentPasskey({ ...row, friendly_name: name })
  })
}

import { sql } from 'kysely'
import type { Session } from '#contract/accounts.ts'
import type { CredentialAnswer, FactorAnswer } from '#contract/factors.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { lockProfile } from '#server/users/user-queries.ts'
import type { OwnAccountContext } from './account-context.ts'
import type { Challenge } from './factor-challenges.ts'
import { createFactorRefusal, tryFactor } from './factor-refusals.ts'
import {
  assertMayEnrol,
  completeEnrolment,
  DEFAULT_NAMES,
  hashRecoveryCode,
  listOwnFactors,
  requireLinkNext,
} from './factors.ts'
import {
  checkAssertion,
  checkRegistration,
  createRegistrationOptions,
  createRequestOptions,
  type FactorRow,
} from './passkeys.ts'
import { issueAccessToken, raiseSession } from './sessions.ts'
import { renewAuthentication } from './sign-in.ts'
import { explainClock, findTotpStep } from './totp.ts'

/** Writes that an answer was right, in a transaction; a second use of it is refused there. */
type Accept = (db: Db) => Promise<void>

/** Target of the challenge of a passkey that is no factor yet. */
const NEW_PASSKEY = 'new-passkey'
const UNIQUE_VIOLATION = '23505'

const toStep = ({ factor_type }: FactorRow) => (factor_type === 'totp' ? 'guessable' : 'unguessable')

/** Begins to show one of the caller's factors, or to create the passkey of a new one. */
export async function challengeFactor(context: OwnAccountContext, factorId: string) {
  const { actor, challenges } = context
  const { user_id: userId, email } = actor.profile
  const { factor, own } = await findOwnFactor(context, factorId)
  const { id, nonce, expiresAt: expires_at } = await challenges.create({ target: factorId, userId })
  const type = factor.factor_type
  if (type === 'totp') return { id, type, expires_at }
  const publicKey = factor.verified_at
    ? await createRequestOptions(context, nonce, factor)
    : await createRegistrationOptions(context, { userId, email, nonce, known: own })
  const webauthn = {
    type: factor.verified_at ? ('request' as const) : ('create' as const),
    credential_options: { publicKey: { ...publicKey } },
  }
  return { id, type, expires_at, webauthn }
}

async function findOwnFactor({ db, actor }: OwnAccountContext, factorId: string) {
  const own = await listOwnFactors(db, actor.profile.user_id)
  const factor = own.find(({ id }) => id === factorId)
  if (!factor) throw new ProblemError('not-found', { detail: 'Esta segunda etapa não existe mais.' })
  const isProtected = own.some(({ verified_at }) => verified_at)
  // A factor that was begun elsewhere does not stand in for one that is verified.
  if (actor.sessionKind === 'aal1' && isProtected && !factor.verified_at)
    throw new ProblemError('second-factor-required')
  return { factor, own, isProtected }
}

/**
 * Shows a factor: the caller's session has both steps from then on. Verifies a new one, too.
 * @throws ProblemError factor-refused, rate-limited, not-found; unauthenticated if the session ended
 */
export async function verifyFactor(
  context: OwnAccountContext,
  { factorId, answer }: { factorId: string; answer: FactorAnswer },
): Promise<Session> {
  const { factor, isProtected } = await findOwnFactor(context, factorId)
  if (!factor.verified_at) await assertMayEnrol(context)
  return tryFactor(context, toStep(factor), async () => {
    const accept = await checkAnswer(context, factor, answer)
    return finishSecondStep(context, factor.factor_type, async (txContext) => {
      await accept(txContext.db)
      if (!factor.verified_at) await completeEnrolment(txContext, { factor, isFirst: !isProtected })
    })
  })
}

/** Proves a signed-in person's identity again by a factor. @returns an access token alone */
export async function reauthenticateByFactor(
  context: OwnAccountContext,
  { factorId, answer }: { factorId: string; answer: FactorAnswer },
) {
  const { factor } = await findOwnFactor(context, factorId)
  if (!factor.verified_at) throw createFactorRefusal('challenge-ended')
  const { sessionId, refreshCounter } = context.actor
  const renewed = await tryFactor(context, toStep(factor), async () => {
    const accept = await checkAnswer(context, factor, answer)
    return context.db.transaction().execute(async (db) => {
      await lockProfile(db, factor.user_id)
      await accept(db)
      return renewAuthentication({ ...context, db }, factor.factor_type)
    })
  })
  return issueAccessToken(context, { userId: factor.user_id, sessionId, refreshCounter, ...renewed })
}

async function finishSecondStep(
  context: OwnAccountContext,
  method: string,
  work: (context: OwnAccountContext) => Promise<void>,
): Promise<Session> {
  return context.db.transaction().execute(async (db) => {
    const txContext = { ...context, db }
    // Before the sessions, as everywhere.
    await lockProfile(db, context.actor.profile.user_id)
    await work(txContext)
    const session = await raiseSession(txContext, method)
    if (!session) throw new ProblemError('unauthenticated')
    return session
  })
}

async function checkAnswer(
  context: OwnAccountContext,
  factor: FactorRow,
  { challenge_id, code, webauthn }: FactorAnswer,
): Promise<Accept> {
  const challenge = await context.challenges.read(challenge_id)
  if (challenge?.userId !== factor.user_id || challenge.target !== factor.id)
    throw createFactorRefusal('challenge-ended')
  const columns =
    factor.factor_type === 'totp'
      ? await checkTotp(context, factor, code ?? '')
      : await checkPasskey(context, { factor, challenge, credential: webauthn?.credential_response })
  return (db) => acceptAnswer({ ...context, db }, { factor, challenge, columns })
}

type Columns = Partial<
  Pick<FactorRow, 'last_step' | 'counter' | 'credential_id' | 'public_key' | 'transports'>
>

/** @throws ProblemError factor-refused: wrong, or of a clock that is off */
async function checkTotp(context: OwnAccountContext, factor: FactorRow, code: string): Promise<Columns> {
  const { db, clock, tokens } = context
  const secret = factor.secret && tokens.factorSecrets.open(factor.secret)
  if (!secret)
    throw new ProblemError('conflict', {
      detail:
        'Este aplicativo não pode mais ser conferido. Use outra segunda etapa ou peça ajuda a um administrador.',
    })
  const found = findTotpStep(secret, code, clock())
  if (!found) throw createFactorRefusal('wrong-code')
  if (found.isAccepted) return { last_step: found.step }
  // It is known now, and would be right later.
  if (found.offset > 0)
    await db
      .updateTable('factors')
      .set({
        refused_steps: sql`array_append(refused_steps[greatest(1, cardinality(refused_steps) - 18):], ${found.step}::bigint)`,
      })
      .where('id', '=', factor.id)
      .execute()
  throw createFactorRefusal('clock-off', explainClock(found.offset))
}

async function checkPasskey(
  context: OwnAccountContext,
  wanted: { factor: FactorRow; challenge: Challenge; credential: CredentialAnswer | undefined },
): Promise<Columns> {
  const { factor, challenge, credential: answer } = wanted
  if (!answer) throw createFactorRefusal('passkey-refused')
  if (challenge.isUsed) throw createFactorRefusal('passkey-replayed')
  const { nonce } = challenge
  return factor.verified_at
    ? { counter: await checkAssertion(context, { answer, nonce, factor }) }
    : checkRegistration(context, answer, nonce)
}

/** Another account has the passkey: a copied answer, which must not tell whose it is. */
function refuseKnownPasskey(error: { code?: string }): never {
  throw error.code === UNIQUE_VIOLATION ? createFactorRefusal('passkey-refused') : error
}

/** Conditional on what was read, so that of two equal answers one is refused. */
async function acceptAnswer(
  { db, clock, challenges }: OwnAccountContext,
  { factor, challenge, columns }: { factor: FactorRow; challenge: Challenge; columns: Columns },
): Promise<void> {
  const at = new Date(clock())
  const { last_step: step, counter } = columns
  const isUnused =
    factor.factor_type === 'totp'
      ? sql<boolean>`(coalesce(last_step, 0) < ${step}::bigint and ${step}::bigint <> all(refused_steps))`
      : sql<boolean>`(coalesce(counter, 0) = ${factor.counter ?? 0} or ${counter ?? 0}::bigint = 0)`
  const { numUpdatedRows } = await db
    .updateTable('factors')
    .set({ ...columns, last_used_at: at, verified_at: factor.verified_at ?? at })
    .where('id', '=', factor.id)
    .where(isUnused)
    // Of two first verifications at once the second would replace the key.
    .where('verified_at', factor.verified_at ? 'is not' : 'is', null)
    .executeTakeFirst()
    .catch(refuseKnownPasskey)
  const isTotp = factor.factor_type === 'totp'
  if (numUpdatedRows === 0n) throw createFactorRefusal(isTotp ? 'code-used' : 'passkey-counter')
  if (!(await challenges.use(db, challenge)))
    throw createFactorRefusal(isTotp ? 'challenge-ended' : 'passkey-replayed')
}

/** Uses a recovery code up: for whoever has lost the factor, so that other sessions end. */
export async function verifyRecoveryCode(context: OwnAccountContext, code: string): Promise<Session> {
  const { actor, clock } = context
  const { user_id, email } = actor.profile
  return tryFactor(context, 'unguessable', () =>
    finishSecondStep(context, 'mfa/recovery_code', async (txContext) => {
      const { db } = txContext
      const { numUpdatedRows } = await db
        .updateTable('recovery_codes')
        .set({ used_at: new Date(clock()) })
        .where('user_id', '=', user_id)
        .where('code_hash', '=', hashRecoveryCode(code))
        .where('used_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw createFactorRefusal('recovery-code-wrong')
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', user_id)
        .where('id', '!=', actor.sessionId)
        .execute()
      await requireLinkNext(db, user_id)
      await recordAudit(txContext, { action: 'recovery-code-used', target: actor.profile })
      await queueMail({ db }, 'recovery-code-used', email)
    }),
  )
}

/** Begins a passkey without a factor, as auth-js's `registerPasskey` does. */
export async function startPasskeyRegistration(context: OwnAccountContext) {
  const { actor, challenges } = context
  const { user_id: userId, email } = actor.profile
  const known = await assertMayEnrol(context)
  const { id, nonce, expiresAt } = await challenges.create({ target: NEW_PASSKEY, userId })
  const options = await createRegistrationOptions(context, { userId, email, nonce, known })
  return { challenge_id: id, options: { ...options }, expires_at: expiresAt }
}

/** Adds it. The session has both steps, as its next access token says. */
export async function verifyPasskeyRegistration(
  context: OwnAccountContext,
  { challengeId, credential }: { challengeId: string; credential: CredentialAnswer },
) {
  const { actor, clock, challenges } = context
  const { user_id } = actor.profile
  const own = await assertMayEnrol(context)
  return tryFactor(context, 'unguessable', async () => {
    const challenge = await challenges.read(challengeId)
    if (challenge?.userId !== user_id || challenge.target !== NEW_PASSKEY)
      throw createFactorRefusal('challenge-ended')
    if (challenge.isUsed) throw createFactorRefusal('passkey-replayed')
    const columns = await checkRegistration(context, credential, challenge.nonce)
    const at = new Date(clock())
    let added: FactorRow | undefined
    await finishSecondStep(context, 'webauthn', async (txContext) => {
      const { db } = txContext
      if (!(await challenges.use(db, challenge))) throw createFactorRefusal('passkey-replayed')
      added = await db
        .insertInto('factors')
        .values({
          user_id,
          factor_type: 'webauthn',
          friendly_name: DEFAULT_NAMES.webauthn,
          created_at: at,
          verified_at: at,
          ...columns,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch(refuseKnownPasskey)
      const isFirst = !own.some(({ verified_at }) => verified_at)
      await completeEnrolment(txContext, { factor: added, isFirst })
    })
    return presentPasskey(added as FactorRow)
  })
}

export function presentPasskey({ id, friendly_name, created_at, last_used_at }: FactorRow) {
  const used = last_used_at && { last_used_at: last_used_at.toISOString() }
  return { id, friendly_name, created_at: created_at.toISOString(), ...used }
}

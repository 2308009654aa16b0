import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import type { Db } from '#server/database/schema.ts'
import type { Keyring } from '#server/keyring.ts'

const AUDIENCE = 'factor-challenge'
const CHALLENGE_MS = 5 * 60_000

export interface Challenge {
  /** Base64url, which the authenticator signs. */
  nonce: string
  /** What it is for: a factor's id, a new passkey, or a sign-in by passkey. */
  target: string
  /** Undefined for a sign-in. */
  userId?: string | undefined
  /** Whether it was answered well before. */
  isUsed: boolean
}

export type FactorChallenges = ReturnType<typeof createFactorChallenges>

/**
 * Creates and reads challenges. They are signed, not stored, so that a flood of them costs nothing;
 * only one that was answered well is remembered, until it ends.
 */
export function createFactorChallenges(db: Db, keyring: Keyring, clock: () => number) {
  const keys = keyring(AUDIENCE)
  const toUsedId = (nonce: string) => `${AUDIENCE} ${nonce}`
  return {
    /** @returns id to present with the answer; expiresAt in seconds */
    async create(wanted: Pick<Challenge, 'target' | 'userId'>) {
      const nonce = randomBytes(32).toString('base64url')
      const expiresAt = Math.floor((clock() + CHALLENGE_MS) / 1000)
      const id = await new SignJWT({ target: wanted.target })
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(AUDIENCE)
        .setJti(nonce)
        .setExpirationTime(expiresAt)
        .setSubject(wanted.userId ?? '')
        .sign(keys[0].bytes)
      return { id, nonce, expiresAt }
    },
    /** @returns undefined unless it is ours and unexpired */
    async read(id: string): Promise<Challenge | undefined> {
      for (const { bytes } of keys) {
        const options = { algorithms: ['HS256'], audience: AUDIENCE, currentDate: new Date(clock()) }
        const verified = await jwtVerify(id, bytes, options).catch(() => undefined)
        if (!verified) continue
        const { jti, sub, target } = verified.payload
        const nonce = jti as string
        const used = db.selectFrom('used_human_checks').select('id').where('id', '=', toUsedId(nonce))
        const isUsed = (await used.executeTakeFirst()) !== undefined
        return { nonce, target: target as string, userId: sub || undefined, isUsed }
      }
      return undefined
    },
    /** Uses a challenge up, in the transaction of its answer. @returns false if it was used before */
    async use(transaction: Db, { nonce }: Challenge): Promise<boolean> {
      const inserted = await transaction
        .insertInto('used_human_checks')
        .values({ id: toUsedId(nonce), expires_at: new Date(clock() + CHALLENGE_MS) })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      return inserted !== undefined
    },
  }
}

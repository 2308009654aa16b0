import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import * as z from 'zod'
import type { Db } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { RateLimits } from '#server/http/rate-limits.ts'
import type { Keyring } from '#server/keyring.ts'
import type { RefusalCounter } from '#server/operations/audit.ts'

const PASS_SECONDS = 120
/** Longer than the validity of any service's answers. */
const REMEMBER_ANSWER_MS = 30 * 60_000
const AUDIENCE = 'human-check'
const CHALLENGE_SECONDS = 20 * 60
const RECAPTCHA_TIMEOUT_MS = 5_000
/** Wrong answers per IP address that cost work; high, because a dealership shares one address. */
const FAILURE_LIMIT = { max: 600, windowSeconds: 300, perIp: 'refunded' } as const
/** For a known device, so that neighbors' wrong answers do not lock it out. */
const DEVICE_FAILURE_LIMIT = { max: 20, windowSeconds: 300 }

/** The external human check: reCAPTCHA or ALTCHA. */
export interface HumanCheckService {
  /**
   * Checks an answer.
   * @param answer what the widget produced
   * @param claim called before the costly check, with a canonical id of the answer; false means that the
   *   answer was used already. May throw
   * @throws ProblemError human-check-unavailable if the service cannot be reached
   */
  isRight(answer: string, ip: string, claim: (id: string) => Promise<boolean>): Promise<boolean>
}

interface Sender {
  ip: string
  /** The device, if it is known to the account of the request. */
  deviceId?: string | undefined
  /** E-mail in lower case and form of the request; a refusal is counted. */
  target?: { email: string; form: 'sign-in' | 'sign-up' }
}

export type HumanCheck = ReturnType<typeof createHumanCheck>

interface HumanCheckServices extends RateLimits {
  db: Db
  keyring: Keyring
  clock: () => number
  countRefusal: RefusalCounter
}

/** Creates the check that forms require; answers and passes work once. */
export function createHumanCheck(
  { db, keyring, clock, consumeRateLimit, refundRateLimit, countRefusal }: HumanCheckServices,
  service: HumanCheckService,
) {
  const keys = keyring(AUDIENCE)

  async function consume(id: string, lifeMs: number): Promise<boolean> {
    const inserted = await db
      .insertInto('used_human_checks')
      .values({ id, expires_at: new Date(clock() + lifeMs) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return inserted !== undefined
  }

  async function isFreshAnswer(answer: string, { ip, deviceId }: Sender): Promise<boolean> {
    const key = `human-check ${deviceId ?? toIpPrefix(ip)}`
    let claimed: string | undefined
    let isConsumed = false
    const claim = async (id: string) => {
      // First, because it costs less than claiming, and nothing while full. Used answers count too.
      await consumeRateLimit(key, deviceId ? DEVICE_FAILURE_LIMIT : FAILURE_LIMIT)
      isConsumed = true
      // A wrong answer uses up its challenge too: a new try needs a new challenge.
      if (!(await consume(id, REMEMBER_ANSWER_MS))) return false
      claimed = id
      return true
    }
    // Counts as wrong while it is checked.
    let isWrong = false
    try {
      isWrong = !(await service.isRight(answer, ip, claim))
      return !isWrong
    } catch (error) {
      // The answer was not checked, which is not the caller's fault.
      if (claimed) await db.deleteFrom('used_human_checks').where('id', '=', claimed).execute()
      throw error
    } finally {
      if (isConsumed && !isWrong) await refundRateLimit(key)
    }
  }

  async function readPassId(pass: string): Promise<string | undefined> {
    for (const { bytes } of keys) {
      const verified = await jwtVerify(pass, bytes, {
        algorithms: ['HS256'],
        audience: AUDIENCE,
        currentDate: new Date(clock()),
      }).catch(() => undefined)
      if (verified) return verified.payload.jti
    }
    return undefined
  }

  return {
    /** Exchanges an answer for a pass. @returns a pass for one request within two minutes, or undefined */
    async exchangeForPass(answer: string, ip: string): Promise<string | undefined> {
      if (!(await isFreshAnswer(answer, { ip }))) return undefined
      const now = Math.floor(clock() / 1000)
      return new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(AUDIENCE)
        .setJti(randomUUID())
        .setExpirationTime(now + PASS_SECONDS)
        .sign(keys[0].bytes)
    },
    /**
     * Uses a pass or a raw answer.
     * @throws ProblemError human-check-required, human-check-failed if wrong or used, rate-limited
     */
    async verify(passOrAnswer: string | undefined, sender: Sender): Promise<void> {
      try {
        if (!passOrAnswer) throw new ProblemError('human-check-required')
        const id = await readPassId(passOrAnswer)
        const isGood = id ? await consume(id, PASS_SECONDS * 1000) : await isFreshAnswer(passOrAnswer, sender)
        if (!isGood) throw new ProblemError('human-check-failed')
      } catch (error) {
        const { ip, target } = sender
        if (target && error instanceof ProblemError) {
          const outcome = target.form === 'sign-in' ? error.code : `${target.form} ${error.code}`
          countRefusal({ email: target.email, outcome, ip })
        }
        throw error
      }
    },
  }
}

/** ALTCHA's proof of work: no third party and no puzzle. */
export interface Altcha extends HumanCheckService {
  createChallenge(): Promise<{ parameters: Record<string, unknown>; signature: string }>
}

/**
 * @param cost PBKDF2 rounds of each guess (ALTCHA_COST)
 * @param clock ms since the epoch
 */
export function createAltcha(keyring: Keyring, cost: number, clock: () => number): Altcha {
  const keys = keyring('altcha')
  const listSecrets = () => keys.map(({ bytes }) => Buffer.from(bytes).toString('base64url'))
  return {
    async createChallenge() {
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost,
        deriveKey,
        expiresAt: Math.floor(clock() / 1000) + CHALLENGE_SECONDS,
        hmacSignatureSecret: listSecrets()[0] as string,
      })
      return { parameters: { ...challenge.parameters }, signature: challenge.signature as string }
    },
    async isRight(answer, _ip, claim) {
      const payload = readPayload(answer)
      if (!payload || payload.challenge.parameters.expiresAt * 1000 <= clock()) return false
      const { challenge, solution } = payload
      for (const secret of listSecrets()) {
        // The computed signature is claimed, not the presented one.
        const signature = sign(challenge.parameters, secret)
        if (!isSame(signature, challenge.signature)) continue
        if (!(await claim(signature))) return false
        // The library would compare the expiry to this machine's clock.
        const { expiresAt: _, ...parameters } = challenge.parameters
        const withoutExpiry = { parameters, signature: sign(parameters, secret) }
        const checked = await verifySolution({
          challenge: withoutExpiry,
          solution,
          deriveKey,
          hmacSignatureSecret: secret,
        }).catch(() => null)
        return checked?.verified === true
      }
      return false
    },
  }
}

/** Signs a challenge as the library does: with its parameters sorted by name. */
function sign(parameters: object, secret: string): string {
  const text = JSON.stringify(parameters, Object.keys(parameters).sort())
  return createHmac('sha256', secret).update(text).digest('hex')
}

function isSame(expected: string, presented: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(presented)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The widget's payload; the signature covers all parameters, including unread ones. */
const payloadSchema = z.object({
  challenge: z.object({
    parameters: z.looseObject({
      algorithm: z.string(),
      nonce: z.string(),
      salt: z.string(),
      cost: z.number(),
      keyLength: z.number(),
      keyPrefix: z.string(),
      expiresAt: z.number(),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
})

function readPayload(answer: string): z.output<typeof payloadSchema> | undefined {
  try {
    return payloadSchema.safeParse(JSON.parse(Buffer.from(answer, 'base64').toString('utf8'))).data
  } catch {
    return undefined
  }
}

/**
 * Google reCAPTCHA v2 (https://developers.google.com/recaptcha/docs/verify).
 * @param expectedHost host that the widget was solved on; undefined accepts any
 * @param verifyUrl replaced in tests
 */
export function createRecaptcha(
  secretKey: () => string,
  expectedHost: string | undefined,
  verifyUrl = 'https://www.google.com/recaptcha/api/siteverify',
): HumanCheckService {
  return {
    async isRight(answer, ip, claim) {
      if (!(await claim(createHash('sha256').update(answer).digest('base64url')))) return false
      try {
        const reply = await fetch(verifyUrl, {
          method: 'POST',
          body: new URLSearchParams({ secret: secretKey(), response: answer, remoteip: ip }),
          signal: AbortSignal.timeout(RECAPTCHA_TIMEOUT_MS),
        })
        const result = (await reply.json()) as { success?: boolean; hostname?: string }
        return result.success === true && (!expectedHost || result.hostname === expectedHost)
      } catch (cause) {
        throw new ProblemError('human-check-unavailable', { cause })
      }
    },
  }
}

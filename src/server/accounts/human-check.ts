import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import * as z from 'zod'
import type { Db } from '#server/database/schema.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import type { Limits } from '#server/http/limits.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Keyring } from '#server/keyring.ts'
import type { createRefusalCounter } from '#server/operations/audit.ts'

const PASS_SECONDS = 120
/** Longer than any answer stays valid with its service. */
const REMEMBER_ANSWER_MS = 30 * 60_000
const AUDIENCE = 'human-check'
const CHALLENGE_SECONDS = 20 * 60
const RECAPTCHA_TIMEOUT_MS = 5_000
/** Wrong answers from one IP that had to be worked on; far more than a dealership makes, which shares one. */
const FAILURE_LIMIT = { max: 600, windowSeconds: 300 }
/** The same from a browser known to the account, which its neighbours' wrong answers must not shut out. */
const DEVICE_FAILURE_LIMIT = { max: 20, windowSeconds: 300 }

/** Whoever checks that a person, not a script, filled a form in: reCAPTCHA or ALTCHA. */
export interface HumanCheckService {
  /**
   * @param answer what the widget produced
   * @param claim called once nothing but costly work is left to tell whether it is right, with an id that every way of
   *   writing this answer shares; the answer is refused when it resolves to false: it was tried before. It may throw
   * @throws ProblemError human-check-unavailable when the service cannot be asked
   */
  isRight(answer: string, ip: string, claim: (id: string) => Promise<boolean>): Promise<boolean>
}

interface Sender {
  ip: string
  /** The browser, if it has signed in before to the account that the request is about. */
  deviceId?: string | undefined
  /** Whose account it is about, in lower case, and the form: a refusal is counted. */
  aimedAt?: { email: string; form: 'sign-in' | 'sign-up' }
}

export type HumanCheck = ReturnType<typeof createHumanCheck>

interface HumanCheckServices extends Limits {
  db: Db
  keyring: Keyring
  clock: () => number
  countRefusal: ReturnType<typeof createRefusalCounter>
}

/** Makes the check that forms demand; answers and passes serve once. */
export function createHumanCheck(
  { db, keyring, clock, takeFromLimit, giveBackToLimit, countRefusal }: HumanCheckServices,
  service: HumanCheckService,
) {
  const keys = keyring(AUDIENCE)

  async function spend(id: string, lifeMs: number): Promise<boolean> {
    const inserted = await db
      .insertInto('used_human_checks')
      .values({ id, expires_at: new Date(clock() + lifeMs) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return inserted !== undefined
  }

  async function isFreshAnswer(answer: string, { ip, deviceId }: Sender): Promise<boolean> {
    const key = `human-check ${deviceId ?? ipGroup(ip)}`
    let claimed: string | undefined
    let isTaken = false
    const claim = async (id: string) => {
      // A wrong answer uses its challenge up too: who tries again has to fetch another.
      if (!(await spend(id, REMEMBER_ANSWER_MS))) return false
      claimed = id
      await takeFromLimit(key, deviceId ? DEVICE_FAILURE_LIMIT : FAILURE_LIMIT)
      isTaken = true
      return true
    }
    // While it is worked on it counts as wrong.
    let isWrong = false
    try {
      isWrong = !(await service.isRight(answer, ip, claim))
      return !isWrong
    } catch (error) {
      // It was not looked at, which is not the caller's fault.
      if (claimed) await db.deleteFrom('used_human_checks').where('id', '=', claimed).execute()
      throw error
    } finally {
      if (isTaken && !isWrong) await giveBackToLimit(key)
    }
  }

  async function idOfPass(pass: string): Promise<string | undefined> {
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
    /** Checks an answer once. @returns a pass for one request within two minutes, or undefined when refused */
    async tradeForPass(answer: string, ip: string): Promise<string | undefined> {
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
     * Uses up a pass, or a raw answer in its place.
     * @throws ProblemError human-check-required without one, human-check-failed for a wrong or used one, rate-limited
     */
    async demand(passOrAnswer: string | undefined, sender: Sender): Promise<void> {
      try {
        if (!passOrAnswer) throw new ProblemError('human-check-required')
        const id = await idOfPass(passOrAnswer)
        const isGood = id ? await spend(id, PASS_SECONDS * 1000) : await isFreshAnswer(passOrAnswer, sender)
        if (!isGood) throw new ProblemError('human-check-failed')
      } catch (error) {
        const { ip, aimedAt } = sender
        if (aimedAt && error instanceof ProblemError) {
          const outcome = aimedAt.form === 'sign-in' ? error.code : `${aimedAt.form} ${error.code}`
          countRefusal({ email: aimedAt.email, outcome, ip })
        }
        throw error
      }
    },
  }
}

/** ALTCHA's proof of work: without third party or puzzle. */
export interface Altcha extends HumanCheckService {
  createChallenge(): Promise<{ parameters: Record<string, unknown>; signature: string }>
}

/**
 * @param cost PBKDF2 rounds of each guess (ALTCHA_COST)
 * @param clock ms since the epoch
 */
export function createAltcha(keyring: Keyring, cost: number, clock: () => number): Altcha {
  const keys = keyring('altcha')
  const secretsNow = () => keys.map(({ bytes }) => Buffer.from(bytes).toString('base64url'))
  return {
    async createChallenge() {
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost,
        deriveKey,
        expiresAt: Math.floor(clock() / 1000) + CHALLENGE_SECONDS,
        hmacSignatureSecret: secretsNow()[0] as string,
      })
      return { parameters: { ...challenge.parameters }, signature: challenge.signature as string }
    },
    async isRight(answer, _ip, claim) {
      const payload = readPayload(answer)
      if (!payload || payload.challenge.parameters.expiresAt * 1000 <= clock()) return false
      const { challenge, solution } = payload
      for (const secret of secretsNow()) {
        // What was computed is claimed, not what was presented.
        const signature = sign(challenge.parameters, secret)
        if (!isSame(signature, challenge.signature)) continue
        if (!(await claim(signature))) return false
        // The library would check the expiry by this machine's clock.
        const { expiresAt: _, ...parameters } = challenge.parameters
        const timeless = { parameters, signature: sign(parameters, secret) }
        const checked = await verifySolution({
          challenge: timeless,
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

/** As the library signs a challenge: its parameters in the order of their names. */
function sign(parameters: object, secret: string): string {
  const text = JSON.stringify(parameters, Object.keys(parameters).sort())
  return createHmac('sha256', secret).update(text).digest('hex')
}

function isSame(expected: string, presented: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(presented)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** What the widget writes; the signature covers all parameters, also those that nothing here reads. */
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
 * @param expectedHost the host that the widget was solved on, or undefined to take any
 * @param verifyUrl another one for tests
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

import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Keyring } from '#server/keyring.ts'

/** Whoever checks that a person, not a script, filled a form in: reCAPTCHA or ALTCHA. */
export interface HumanCheckService {
  /**
   * @param answer what the widget produced
   * @returns an id that every way of writing this answer shares, or undefined when it is wrong; single
   *   use is seen to by the caller
   * @throws ProblemError human-check-unavailable when the service cannot be asked
   */
  idOfRightAnswer(answer: string, ip: string): Promise<string | undefined>
}

export interface HumanCheck {
  /** Checks an answer once. @returns a pass for one request within two minutes, or undefined when refused */
  tradeForPass(answer: string, ip: string): Promise<string | undefined>
  /**
   * Uses up a pass, or a raw answer in its place.
   * @throws ProblemError human-check-required without one, human-check-failed for a wrong or used one
   */
  demand(passOrAnswer: string | undefined, ip: string): Promise<void>
}

const PASS_SECONDS = 120
/** Longer than any answer stays valid with its service. */
const REMEMBER_ANSWER_MS = 30 * 60_000
const AUDIENCE = 'human-check'

/** @param clock ms since the epoch */
export function createHumanCheck(
  db: Db,
  service: HumanCheckService,
  keyring: Keyring,
  clock: () => number,
): HumanCheck {
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

  async function isFreshAnswer(answer: string, ip: string): Promise<boolean> {
    const id = await service.idOfRightAnswer(answer, ip)
    return id !== undefined && spend(id, REMEMBER_ANSWER_MS)
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
    async tradeForPass(answer, ip) {
      if (!(await isFreshAnswer(answer, ip))) return undefined
      const now = Math.floor(clock() / 1000)
      return new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(AUDIENCE)
        .setJti(randomUUID())
        .setExpirationTime(now + PASS_SECONDS)
        .sign(keys[0].bytes)
    },
    async demand(passOrAnswer, ip) {
      if (!passOrAnswer) throw new ProblemError('human-check-required')
      const id = await idOfPass(passOrAnswer)
      const isGood = id ? await spend(id, PASS_SECONDS * 1000) : await isFreshAnswer(passOrAnswer, ip)
      if (!isGood) throw new ProblemError('human-check-failed')
    },
  }
}

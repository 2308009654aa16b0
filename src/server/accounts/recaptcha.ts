import { createHash } from 'node:crypto'
import { ProblemError } from '#server/http/problem-error.ts'
import type { HumanCheckService } from './human-check.ts'

const TIMEOUT_MS = 5_000

/**
 * Google reCAPTCHA v2 (https://developers.google.com/recaptcha/docs/verify).
 * @param expectedHost the host that the widget was solved on, or undefined to take any
 * @param verifyUrl another address for tests
 */
export function createRecaptcha(
  secretKey: string,
  expectedHost: string | undefined,
  verifyUrl = 'https://www.google.com/recaptcha/api/siteverify',
): HumanCheckService {
  return {
    async idOfRightAnswer(answer, ip) {
      try {
        const reply = await fetch(verifyUrl, {
          method: 'POST',
          body: new URLSearchParams({ secret: secretKey, response: answer, remoteip: ip }),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        const result = (await reply.json()) as { success?: boolean; hostname?: string }
        const isRight = result.success === true && (!expectedHost || result.hostname === expectedHost)
        return isRight ? createHash('sha256').update(answer).digest('base64url') : undefined
      } catch (cause) {
        throw new ProblemError('human-check-unavailable', { cause })
      }
    },
  }
}

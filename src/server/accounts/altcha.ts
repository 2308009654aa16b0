import { createChallenge, type Payload, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Keyring } from '#server/keyring.ts'
import type { HumanCheckService } from './human-check.ts'

const CHALLENGE_SECONDS = 20 * 60

/** ALTCHA's proof of work: needs no third party and shows nobody a puzzle. */
export interface Altcha extends HumanCheckService {
  createChallenge(): Promise<{ parameters: Record<string, unknown>; signature: string }>
}

/**
 * @param cost PBKDF2 rounds of each guess (ALTCHA_COST)
 * @param clock ms since the epoch
 */
export function createAltcha(keyring: Keyring, cost: number, clock: () => number): Altcha {
  const secrets = keyring('altcha').map(({ bytes }) => Buffer.from(bytes).toString('base64url'))
  return {
    async createChallenge() {
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost,
        deriveKey,
        expiresAt: Math.floor(clock() / 1000) + CHALLENGE_SECONDS,
        hmacSignatureSecret: secrets[0] as string,
      })
      return { parameters: { ...challenge.parameters }, signature: challenge.signature as string }
    },
    async idOfRightAnswer(answer) {
      const payload = readPayload(answer)
      // The library checks the expiry by the real clock; ours can be moved by tests.
      if (!payload || Number(payload.challenge.parameters.expiresAt) * 1000 <= clock()) return undefined
      for (const hmacSignatureSecret of secrets) {
        const { challenge, solution } = payload
        const result = await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret }).catch(
          () => null,
        )
        if (result?.verified) return challenge.signature
      }
      return undefined
    },
  }
}

function readPayload(answer: string): Payload | undefined {
  try {
    const payload = JSON.parse(Buffer.from(answer, 'base64').toString('utf8'))
    return payload?.challenge?.parameters && payload.solution ? payload : undefined
  } catch {
    return undefined
  }
}

import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { type Altcha, createHumanCheck } from '#server/accounts/human-check.ts'
import type { TestPortal } from './test-portal.ts'

type Challenge = Awaited<ReturnType<Altcha['createChallenge']>>

/** Issues a valid human-check pass without solving a challenge. */
export async function issuePass(portal: TestPortal): Promise<string> {
  const acceptAll = { isRight: async () => true }
  const limits = { consumeRateLimit: async () => {}, refundRateLimit: async () => {}, countRefusal: () => {} }
  const check = createHumanCheck({ ...portal, ...limits, db: portal.database.db }, acceptAll)
  return (await check.exchangeForPass('answer', '127.0.0.1')) as string
}

/** Solves a challenge as the widget does. */
export async function solveAltcha(challenge: Challenge) {
  const given = challenge as unknown as Parameters<typeof solveChallenge>[0]['challenge']
  const solution = await solveChallenge({ challenge: given, deriveKey })
  return { challenge, solution }
}

/** Encodes an answer as the widget does, in base64 of JSON. */
export function encodeAnswer(answer: object): string {
  return Buffer.from(JSON.stringify(answer)).toString('base64')
}

/** Fetches a challenge and solves it. */
export async function answerChallenge({ url }: Pick<TestPortal, 'url'>) {
  return solveAltcha((await (await fetch(`${url}/api/auth/challenge`)).json()) as Challenge)
}

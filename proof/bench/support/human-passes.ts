import { type Challenge, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'

/** Solves one challenge and trades it for a pass, as the page does before 'Entrar' is pressed. */
async function earnPass(portalUrl: string): Promise<string> {
  const challenge = (await (await fetch(`${portalUrl}/api/auth/challenge`)).json()) as Challenge
  const solution = await solveChallenge({ challenge, deriveKey })
  const token = Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')
  const reply = await fetch(`${portalUrl}/api/functions/verify-recaptcha`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  const { pass } = (await reply.json()) as { pass?: string }
  if (!pass) throw new Error(`the human check was refused with ${reply.status}`)
  return pass
}

/** Passes for sign-ins that follow within two minutes. */
export async function earnPasses(portalUrl: string, count: number): Promise<string[]> {
  const passes: string[] = []
  while (passes.length < count) passes.push(await earnPass(portalUrl))
  return passes
}

import { Secret, TOTP } from 'otpauth'
import { getLinkToken, receiveMail } from './account-calls.ts'
import { send } from './builders.ts'
import type { createAuthenticator } from './software-authenticator.ts'
import type { TestPortal } from './test-portal.ts'

/** Returns the code that an authenticator app shows; `offsetMs` is how far its clock is ahead. */
export function showCode(portal: { clock: () => number }, secret: string, offsetMs = 0): string {
  const bytes = /^[A-Z2-7]{32}$/.test(secret) ? Secret.fromBase32(secret) : Secret.fromUTF8(secret)
  return new TOTP({ secret: bytes }).generate({ timestamp: portal.clock() + offsetMs })
}

/** Allows a session to enrol by the mailed link. */
export async function allowEnrolment(portal: TestPortal, token: string, email: string) {
  await send(portal, 'POST', '/api/auth/factors/link', { token })
  const mail = await receiveMail(portal, email, 'factor-link')
  return send(portal, 'POST', '/api/auth/factors/link/verify', {
    token,
    body: { token_hash: getLinkToken(mail?.link) },
  })
}

/** POST …/challenge */
export const challenge = (portal: TestPortal, token: string, factorId: string) =>
  send(portal, 'POST', `/api/auth/factors/${factorId}/challenge`, { token, body: { factorId } })

/** Challenges a factor and answers with a code. */
export async function verifyCode(portal: TestPortal, token: string, factorId: string, code: string) {
  const { body } = await challenge(portal, token, factorId)
  return send(portal, 'POST', `/api/auth/factors/${factorId}/verify`, {
    token,
    body: { challenge_id: body.id, code },
  })
}

/** Enrols and verifies a TOTP factor. @returns its id, secret and the raised session */
export async function enrolTotp(portal: TestPortal, token: string, email: string) {
  await allowEnrolment(portal, token, email)
  const enrolled = await send(portal, 'POST', '/api/auth/factors', { token, body: { factor_type: 'totp' } })
  const { id, totp } = enrolled.body
  const { body: session } = await verifyCode(portal, token, id, showCode(portal, totp.secret))
  return { id: id as string, secret: totp.secret as string, session }
}

/** Registers a passkey. @returns its reply */
export async function registerPasskey(
  portal: TestPortal,
  { token, email, key }: { token: string; email: string; key: ReturnType<typeof createAuthenticator> },
) {
  await allowEnrolment(portal, token, email)
  const { body } = await send(portal, 'POST', '/api/auth/passkeys/registration/options', { token, body: {} })
  const credential = key.create(body.options)
  return send(portal, 'POST', '/api/auth/passkeys/registration/verify', {
    token,
    body: { challenge_id: body.challenge_id, credential },
  })
}

/** Signs in with a passkey; `sign` may answer otherwise than an honest authenticator. */
export async function signInByPasskey(
  portal: TestPortal,
  answer: (options: { challenge: string; rpId: string }) => object,
) {
  const { body } = await send(portal, 'POST', '/api/auth/passkeys/authentication/options', { body: {} })
  return send(portal, 'POST', '/api/auth/passkeys/authentication/verify', {
    body: { challenge_id: body.challenge_id, credential: answer(body.options) },
  })
}

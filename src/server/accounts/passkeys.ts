import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Selectable } from 'kysely'
import type { CredentialAnswer } from '#contract/factors.ts'
import type { FactorsTable } from '#server/database/schema.ts'
import type { AccountServices } from './account-context.ts'
import { createFactorRefusal } from './factor-refusals.ts'

export type FactorRow = Selectable<FactorsTable>
/** EdDSA, ES256, RS256: what authenticators have. */
const ALGORITHMS = [-8, -7, -257]

type Origin = Pick<AccountServices, 'publicUrl' | 'groupName'>

/** Loaded at the first use: it takes longer than the rest of the start. */
const loadLibrary = () => import('@simplewebauthn/server')

function getRelyingParty(publicUrl: string) {
  const { hostname, origin } = new URL(publicUrl)
  return { rpID: hostname, origin }
}

/** Options of a new passkey, which the browser can offer by itself at the sign-in. */
export async function createRegistrationOptions(
  { publicUrl, groupName }: Origin,
  { userId, email, nonce, known }: { userId: string; email: string; nonce: string; known: FactorRow[] },
) {
  const { generateRegistrationOptions } = await loadLibrary()
  return generateRegistrationOptions({
    rpName: `Pátio ${groupName}`,
    rpID: getRelyingParty(publicUrl).rpID,
    userName: email,
    userDisplayName: email,
    userID: Buffer.from(userId),
    challenge: Buffer.from(nonce, 'base64url'),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.flatMap(({ credential_id, transports }) =>
      credential_id ? [{ id: credential_id, ...(transports && { transports }) }] : [],
    ),
  })
}

/** @param factor the passkey to use; undefined offers all that the browser knows */
export async function createRequestOptions({ publicUrl }: Origin, nonce: string, factor?: FactorRow) {
  const { generateAuthenticationOptions } = await loadLibrary()
  const { credential_id: id, transports } = factor ?? {}
  return generateAuthenticationOptions({
    rpID: getRelyingParty(publicUrl).rpID,
    challenge: Buffer.from(nonce, 'base64url'),
    userVerification: 'required',
    ...(id && { allowCredentials: [{ id, ...(transports && { transports }) }] }),
  })
}

/** Checks a new passkey. @returns its columns; @throws ProblemError factor-refused */
export async function checkRegistration({ publicUrl }: Origin, answer: CredentialAnswer, nonce: string) {
  const { verifyRegistrationResponse } = await loadLibrary()
  const { rpID, origin } = getRelyingParty(publicUrl)
  rejectOtherOrigin(answer, origin)
  const { registrationInfo } = await verifyRegistrationResponse({
    response: answer as unknown as RegistrationResponseJSON,
    expectedChallenge: nonce,
    expectedOrigin: origin,
    expectedRPID: rpID,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refuse)
  if (!registrationInfo) throw createFactorRefusal('passkey-refused')
  const { id, publicKey, counter, transports } = registrationInfo.credential
  return { credential_id: id, public_key: publicKey, counter, transports: transports ?? [] }
}

/** Checks a signature. @returns the new counter; @throws ProblemError factor-refused */
export async function checkAssertion(
  { publicUrl }: Origin,
  { answer, nonce, factor }: { answer: CredentialAnswer; nonce: string; factor: FactorRow },
): Promise<number> {
  const { verifyAuthenticationResponse } = await loadLibrary()
  const { rpID, origin } = getRelyingParty(publicUrl)
  rejectOtherOrigin(answer, origin)
  const { credential_id: id, public_key, counter: stored } = factor
  if (!id || !public_key || answer.id !== id) throw createFactorRefusal('passkey-refused')
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer as unknown as AuthenticationResponseJSON,
    expectedChallenge: nonce,
    expectedOrigin: origin,
    expectedRPID: rpID,
    // The counter is compared below, for a refusal that says so.
    credential: { id, publicKey: new Uint8Array(public_key), counter: 0 },
  }).catch(refuse)
  if (!verified) throw createFactorRefusal('passkey-refused')
  const { newCounter } = authenticationInfo
  // Synchronized passkeys have none: zero.
  if (newCounter <= (stored ?? 0) && (newCounter > 0 || (stored ?? 0) > 0))
    throw createFactorRefusal('passkey-counter')
  return newCounter
}

function refuse(): never {
  throw createFactorRefusal('passkey-refused')
}

/** Before the library, whose errors do not tell reasons apart. */
function rejectOtherOrigin(answer: CredentialAnswer, expected: string): void {
  const { clientDataJSON } = (answer.response ?? {}) as { clientDataJSON?: unknown }
  let origin: unknown
  try {
    origin = JSON.parse(Buffer.from(String(clientDataJSON), 'base64url').toString()).origin
  } catch {
    throw createFactorRefusal('passkey-refused')
  }
  if (origin !== expected) throw createFactorRefusal('passkey-origin')
}

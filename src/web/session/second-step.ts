import type { Factor } from '#contract/factors.ts'
import { callApi } from '#web/http/api.ts'
import { adoptSession } from './session.ts'
import {
  broadcastAuthEvent,
  getOwedStep,
  getSession,
  type StoredSession,
  storeSession,
} from './session-store.ts'

type RaisedSession = Awaited<ReturnType<typeof callVerify>>

const callVerify = (factorId: string, body: { challenge_id: string; code?: string; webauthn?: object }) =>
  callApi('POST /api/auth/factors/{factorId}/verify', { params: { factorId }, body: body as never })

/** Stores the session that both steps have raised; new recovery codes are shown before that. */
export type Adopt = () => void

async function raise(call: () => Promise<RaisedSession>): Promise<Adopt> {
  const before = getSession()
  const raised = await call()
  return () => {
    const current = getSession()
    if (!before || current?.user.id !== raised.user.id) return
    // A refresh in another tab meanwhile is newer.
    const isNewest = current.refresh_token === before.refresh_token
    const session = isNewest ? raised : { ...raised, refresh_token: current.refresh_token }
    if (getOwedStep(before)) return adoptSession(session)
    storeSession(session)
    broadcastAuthEvent('TOKEN_REFRESHED')
  }
}

/** Shows the code of an authenticator app; verifies a new one, too. @throws ApiError, NetworkError */
export async function showCode(factorId: string, code: string): Promise<Adopt> {
  const params = { factorId }
  const { id } = await callApi('POST /api/auth/factors/{factorId}/challenge', { params, body: params })
  return raise(() => callVerify(factorId, { challenge_id: id, code }))
}

/** Asks the browser for a passkey; creates a new one, too. @throws ApiError, NetworkError, PasskeyError */
export async function showPasskey(factorId: string): Promise<Adopt> {
  const { id, answer } = await answerChallenge(factorId)
  return raise(() => callVerify(factorId, { challenge_id: id, webauthn: { credential_response: answer } }))
}

async function answerChallenge(factorId: string) {
  const params = { factorId }
  const challenge = await callApi('POST /api/auth/factors/{factorId}/challenge', { params, body: params })
  const { createPasskey, requestPasskey } = await import('./passkeys.ts')
  const options = challenge.webauthn?.credential_options.publicKey as never
  const answer = await (challenge.webauthn?.type === 'create'
    ? createPasskey(options)
    : requestPasskey(options))
  return { id: challenge.id, answer }
}

/** Answers a challenge for POST /reauthenticate, by a code or by the browser's passkey. */
export async function proveFactor({ id: factor_id, factor_type }: Factor, code: string) {
  if (factor_type === 'webauthn') {
    const { id, answer } = await answerChallenge(factor_id)
    return { factor_id, challenge_id: id, webauthn: { credential_response: answer as never } }
  }
  const params = { factorId: factor_id }
  const { id } = await callApi('POST /api/auth/factors/{factorId}/challenge', { params, body: params })
  return { factor_id, challenge_id: id, code }
}

/** Uses a recovery code up. @throws ApiError, NetworkError */
export function showRecoveryCode(code: string): Promise<Adopt> {
  return raise(() => callApi('POST /api/auth/factors/recovery-codes/verify', { body: { code } }))
}

/** Lists the factors that a session may show, the recovery codes last. */
export function listUsableFactors({ user }: StoredSession): Factor[] {
  const usable = (user.factors ?? []).filter(({ status }) => status === 'verified')
  const isCodes = ({ factor_type }: Factor) => Number(factor_type === 'recovery_code')
  return usable.toSorted((a, b) => isCodes(a) - isCodes(b))
}

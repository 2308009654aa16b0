import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { callPublic } from '#web/http/api.ts'
import { adoptSession } from './session.ts'

/** The browser did not give a passkey; the message can be shown. */
export class PasskeyError extends Error {}

export function createPasskey(optionsJSON: PublicKeyCredentialCreationOptionsJSON) {
  return explain(() => startRegistration({ optionsJSON }))
}

export function requestPasskey(optionsJSON: PublicKeyCredentialRequestOptionsJSON) {
  return explain(() => startAuthentication({ optionsJSON }))
}

/** Signs in with a passkey alone. @throws PasskeyError, ApiError or NetworkError */
export async function signInWithPasskey() {
  const { challenge_id, options } = await callPublic('POST /api/auth/passkeys/authentication/options', {
    body: {},
  })
  const credential = await requestPasskey(options as never)
  const session = await callPublic('POST /api/auth/passkeys/authentication/verify', {
    body: { challenge_id, credential: credential as never },
  })
  adoptSession(session)
  return session
}

async function explain<T>(ask: () => Promise<T>): Promise<T> {
  if (!browserSupportsWebAuthn())
    throw new PasskeyError('Este navegador não oferece chaves de acesso. Use um código ou outro navegador.')
  try {
    return await ask()
  } catch (error) {
    const code = error instanceof WebAuthnError ? error.code : undefined
    if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
      throw new PasskeyError('Este aparelho já tem uma chave de acesso desta conta.')
    if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID')
      throw new PasskeyError('Chaves de acesso só funcionam quando o portal é aberto pelo endereço dele.')
    throw new PasskeyError('O navegador não recebeu a chave de acesso: o pedido foi cancelado ou venceu.')
  }
}

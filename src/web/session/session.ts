import { useSyncExternalStore } from 'react'
import type { Session } from '#contract/accounts.ts'
import { callApi } from '#web/http/api.ts'
import { isDefiniteRefusal, sendRequest } from '#web/http/send-request.ts'
import { restartActivity } from './activity.ts'
import { sharedStorage } from './browser-storage.ts'
import {
  announce,
  clearSession,
  getSession,
  onAuthStateChange,
  type SessionEnd,
  type StoredSession,
  secondsLeft,
  storeSession,
} from './session-store.ts'

export { refreshSession } from './session-refresh.ts'
export {
  type AuthEvent,
  getSession,
  onAuthStateChange,
  owesPasswordChange,
  type StoredSession,
} from './session-store.ts'

/** What a screen was drawn with on the way here: visitors' screens are taken over, the others are drawn anew. */
const getPrerenderedSession = () => (typeof document === 'undefined' ? getSession() : undefined)

/** The session, followed live: undefined when nobody is signed in. */
export function useSession(): StoredSession | undefined {
  return useSyncExternalStore(onAuthStateChange, getSession, getPrerenderedSession)
}

/**
 * Signs in with e-mail and password.
 * @param credentials captcha is a human-check pass
 * @throws ApiError (invalid-credentials, human-check-required, rate-limited, …) or NetworkError
 */
export async function signIn(credentials: {
  email: string
  password: string
  captcha?: string | undefined
}): Promise<Session> {
  // Shows that this browser has signed in to the account before. Signing out leaves it.
  const device_token = sharedStorage.get(deviceKeyOf(credentials)) ?? undefined
  const session = await sendRequest('POST /api/auth/token', {
    query: { grant_type: 'password' },
    body: { ...credentials, device_token },
  })
  adoptSession(session)
  return session
}

const deviceKeyOf = ({ email }: { email: string }) => `patio.device.${email.toLowerCase()}`

/** Keeps what shows at the next sign-in that the account knows this browser. */
export function keepDeviceToken({ user, device_token }: Pick<Session, 'user' | 'device_token'>): void {
  if (device_token) sharedStorage.set(deviceKeyOf(user), device_token)
}

/** Makes a session that the server has just issued the session of every tab. */
export function adoptSession(session: Session): void {
  restartActivity()
  keepDeviceToken(session)
  storeSession(session)
  announce('SIGNED_IN')
}

/**
 * Ends the session here and in every tab.
 * @param options reason 'inactivity' ends it on this device at once, whether or not the server can be told
 * @throws ApiError or NetworkError when the server could not be told: the session is then kept
 */
export async function signOut(options: { reason?: 'inactivity' } = {}): Promise<void> {
  if (options.reason === 'inactivity') return leaveAtOnce()
  try {
    await callApi('POST /api/auth/logout', { query: { scope: 'local' } })
  } catch (error) {
    // A refused session is over already.
    if (!isDefiniteRefusal(error)) throw error
  }
  forgetSession()
}

/** Forgets a session that the server has ended, in every tab. */
export function forgetSession(end?: SessionEnd): void {
  if (!getSession()) return
  clearSession(end)
  announce('SIGNED_OUT')
}

/** The token is not renewed for it: a session that is not renewed dies at the server by itself. */
async function leaveAtOnce(): Promise<void> {
  const session = getSession()
  forgetSession({ kind: 'inactive' })
  if (!session || secondsLeft(session) <= 0) return
  const telling = sendRequest(
    'POST /api/auth/logout',
    { query: { scope: 'local' }, keepalive: true },
    session.access_token,
  )
  await telling.catch(() => {})
}

/** What a screen asks before somebody signs out of it, where that would lose something; true keeps them there. */
export const leaveQuestion: { ask?: (() => Promise<boolean>) | undefined } = {}

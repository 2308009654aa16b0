import { useSyncExternalStore } from 'react'
import type { Session } from '#contract/accounts.ts'
import { callApi } from '#web/http/api.ts'
import { isDefiniteRefusal, sendRequest } from '#web/http/send-request.ts'
import { resetActivity } from './activity.ts'
import { getDeviceToken, storeDeviceToken } from './device-token.ts'
import {
  broadcastAuthEvent,
  clearSession,
  getSecondsLeft,
  getSession,
  markSignOut,
  onAuthStateChange,
  type SessionEnd,
  type StoredSession,
  storeSession,
} from './session-store.ts'

export { refreshSession } from './session-refresh.ts'
export {
  type AuthEvent,
  getOwedStep,
  getSession,
  mustChangePassword,
  onAuthStateChange,
  type StoredSession,
} from './session-store.ts'

/** The server snapshot: visitors' screens are hydrated, the others re-render with the session. */
const getPrerenderedSession = () => (typeof document === 'undefined' ? getSession() : undefined)

/** Subscribes to the session: undefined while signed out. */
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
  const session = await sendRequest('POST /api/auth/token', {
    query: { grant_type: 'password' },
    body: { ...credentials, device_token: getDeviceToken(credentials.email) },
  })
  adoptSession(session)
  return session
}

/** Makes a session just issued by the server the session of every tab. */
export function adoptSession(session: Session): void {
  resetActivity()
  storeDeviceToken(session)
  storeSession(session)
  broadcastAuthEvent('SIGNED_IN')
}

/**
 * Ends the session here and in every tab.
 * @param options reason 'inactivity' ends it locally at once, whether or not the server can be reached
 * @throws ApiError or NetworkError when the server could not be reached: the session is kept
 */
export async function signOut(options: { reason?: 'inactivity' } = {}): Promise<void> {
  if (options.reason === 'inactivity') return signOutLocally()
  markSignOut(true)
  try {
    await callApi('POST /api/auth/logout', { query: { scope: 'local' } })
  } catch (error) {
    // A refused session has already ended.
    if (!isDefiniteRefusal(error)) {
      markSignOut(false)
      throw error
    }
  }
  endLocalSession()
}

/** Removes a session that the server has ended, in every tab. */
export function endLocalSession(end?: SessionEnd): void {
  if (!getSession()) return
  clearSession(end)
  broadcastAuthEvent('SIGNED_OUT')
}

/** Ends the session without refreshing its token: unrefreshed, it expires at the server. */
async function signOutLocally(): Promise<void> {
  const session = getSession()
  endLocalSession({ kind: 'inactive' })
  if (!session || getSecondsLeft(session) <= 0) return
  const request = sendRequest(
    'POST /api/auth/logout',
    { query: { scope: 'local' }, keepalive: true },
    session.access_token,
  )
  await request.catch(() => {})
}

/** The open leave guard, which signOut's caller asks first; true keeps the person there. */
export const activeLeaveGuard: { ask?: (() => Promise<boolean>) | undefined } = {}

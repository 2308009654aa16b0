import { backoffDelay } from '#contract/timing.ts'
import { ApiError, getRetryAfterMs, isDefiniteRefusal, sendRequest } from '#web/http/send-request.ts'
import { isInactive } from './activity.ts'
import { runInOneTab } from './browser-storage.ts'
import { getDeviceToken } from './device-token.ts'
import {
  broadcastAuthEvent,
  clearSession,
  getSecondsLeft,
  getSession,
  onAuthStateChange,
  type StoredSession,
  storeSession,
} from './session-store.ts'

/** The session is refreshed when its access token has less than this many seconds left. */
const REFRESH_MARGIN_SECONDS = 60
const LOCK_NAME = 'patio.refresh'
/** Limits how long a hanging refresh holds the lock of all tabs. */
const TIMEOUT_MS = 15_000

let inFlight: Promise<StoredSession | undefined> | undefined

/**
 * Refreshes the session. One tab does it at a time; the others find the new session in storage.
 * @param refusedToken access token that must not be reused; the current one by default
 * @returns the current session, undefined when it has ended
 * @throws NetworkError or ApiError (429, 5xx) when it failed for now: the session is kept
 */
export function refreshSession(refusedToken?: string): Promise<StoredSession | undefined> {
  inFlight ??= refreshOnce(refusedToken ?? getSession()?.access_token).finally(() => {
    inFlight = undefined
  })
  return inFlight
}

function refreshOnce(oldToken: string | undefined): Promise<StoredSession | undefined> {
  const refresh = async () => {
    const current = getSession()
    // A session that has timed out is about to be ended, not refreshed.
    if (isInactive()) return current
    const isRefreshedElsewhere = current && current.access_token !== oldToken && !isRefreshDue(current)
    return !current || isRefreshedElsewhere ? current : exchangeToken(current)
  }
  // Without locks two tabs may refresh at once; the server gives both the same successor.
  return runInOneTab(LOCK_NAME, refresh)
}

async function exchangeToken(current: StoredSession): Promise<StoredSession | undefined> {
  const isStillCurrent = () => getSession()?.refresh_token === current.refresh_token
  const { user, refresh_token, access_token } = current
  const request = (device_token: string | undefined) =>
    sendRequest('POST /api/auth/token', {
      query: { grant_type: 'refresh_token' },
      // With the access token, even an expired one, the server explains a refusal.
      body: { refresh_token, access_token, device_token },
      timeoutMs: TIMEOUT_MS,
    })
  try {
    const session = await request(getDeviceToken(user.email)).catch((error) => {
      // During an upgrade, replicas of 0.2 refuse the device token.
      if (error instanceof ApiError && error.problem.code === 'invalid-input') return request(undefined)
      throw error
    })
    // A sign-out or sign-in meanwhile wins over the refresh.
    if (!isStillCurrent()) return getSession()
    const stored = storeSession(session)
    broadcastAuthEvent('TOKEN_REFRESHED')
    return stored
  } catch (error) {
    if (!isDefiniteRefusal(error)) throw error
    if (!isStillCurrent()) return getSession()
    clearSession({ kind: 'refused', detail: error.message })
    broadcastAuthEvent('SIGNED_OUT')
    return undefined
  }
}

export function isRefreshDue(session: StoredSession): boolean {
  return getSecondsLeft(session) <= REFRESH_MARGIN_SECONDS
}

/** Also prevents a refresh loop when tokens expire within the margin. */
const MIN_WAIT_MS = 5_000
const BACKOFF = { firstMs: 2_000, maxMs: 60_000, jitterMs: 1_000 }

/**
 * Refreshes the session a minute before it expires, and at once when the
 * page becomes visible or online, for as long as the person is active
 * (see refreshSession). Retries failures with backoff up to a minute.
 * @returns an unsubscribe function
 */
export function keepSessionFresh(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0

  const refreshWhenDue = async () => {
    const session = getSession()
    if (!session) return
    try {
      if (isRefreshDue(session)) await refreshSession()
      failures = 0
      schedule()
    } catch (error) {
      failures += 1
      schedule(backoffDelay(failures, { ...BACKOFF, retryAfterMs: getRetryAfterMs(error) }))
    }
  }
  const schedule = (delayMs?: number) => {
    clearTimeout(timer)
    const session = getSession()
    if (!session) return
    const untilDueMs = Math.ceil((getSecondsLeft(session) - REFRESH_MARGIN_SECONDS) * 1000)
    timer = setTimeout(refreshWhenDue, delayMs ?? Math.max(MIN_WAIT_MS, untilDueMs))
  }
  const wake = () => {
    if (document.visibilityState === 'visible') void refreshWhenDue()
  }

  const unsubscribe = onAuthStateChange(() => schedule())
  document.addEventListener('visibilitychange', wake)
  window.addEventListener('online', wake)
  void refreshWhenDue()
  return () => {
    clearTimeout(timer)
    unsubscribe()
    document.removeEventListener('visibilitychange', wake)
    window.removeEventListener('online', wake)
  }
}

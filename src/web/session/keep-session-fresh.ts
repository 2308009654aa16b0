import { ApiError } from '#web/http/api-error.ts'
import { onAuthStateChange } from './auth-events.ts'
import { isDue, REFRESH_MARGIN_SECONDS, refreshSession } from './session-refresh.ts'
import { getSession, secondsLeft } from './session-store.ts'

/** Also keeps tokens that live shorter than the margin from being renewed without pause. */
const SHORTEST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 60_000

/**
 * Renews the session about a minute before it expires, and at once when the page is seen again or comes
 * back online, for as long as its person is active: refreshSession renews nothing past the inactivity limit. A failure is tried again later and later, up to once a minute.
 * @returns a function that ends it
 */
export function keepSessionFresh(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0

  const renewWhenDue = async () => {
    const session = getSession()
    if (!session) return
    try {
      if (isDue(session)) await refreshSession()
      failures = 0
      plan()
    } catch (error) {
      failures += 1
      plan(retryDelay(failures, error))
    }
  }
  const plan = (delayMs?: number) => {
    clearTimeout(timer)
    const session = getSession()
    if (!session) return
    const untilDueMs = Math.ceil((secondsLeft(session) - REFRESH_MARGIN_SECONDS) * 1000)
    timer = setTimeout(renewWhenDue, delayMs ?? Math.max(SHORTEST_WAIT_MS, untilDueMs))
  }
  const wake = () => {
    if (document.visibilityState === 'visible') void renewWhenDue()
  }

  const stopListening = onAuthStateChange(() => plan())
  document.addEventListener('visibilitychange', wake)
  window.addEventListener('online', wake)
  void renewWhenDue()
  return () => {
    clearTimeout(timer)
    stopListening()
    document.removeEventListener('visibilitychange', wake)
    window.removeEventListener('online', wake)
  }
}

/** 2, 4, 8 … 60 s with up to a second of chance, so that many tabs do not come back at once; or what the server asked for. */
function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
  return Math.max(asked, Math.min(LONGEST_WAIT_MS, 1000 * 2 ** failures)) + Math.random() * 1000
}

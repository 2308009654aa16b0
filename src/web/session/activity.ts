import { startStopwatch } from '#contract/timing.ts'
import { sharedStorage } from './browser-storage.ts'
import { getSession } from './session-store.ts'

/** A session ends after this long (ms) without activity. */
export const INACTIVITY_MS = 30 * 60_000
/** Local storage key of the last activity, in ms since the epoch, shared by all tabs. */
export const ACTIVITY_KEY = 'patio.last-activity'
/** Throttles writes to local storage: a mouse moves hundreds of times a second. */
const WRITE_INTERVAL_MS = 1_000

/** The last activity in this tab, and the last instant written to storage. */
let ownLast = 0
let writtenAt = 0
let sinceOwnLast = startStopwatch()

/**
 * Records activity: a click, key, mouse move, scroll or use of a report; never
 * polling or refreshes. Once the session has timed out, activity does not revive it.
 */
export function recordActivity(): void {
  const now = Date.now()
  if (Math.abs(now - ownLast) >= WRITE_INTERVAL_MS && (!getSession() || isInactive())) return
  ownLast = now
  sinceOwnLast = startStopwatch()
  if (Math.abs(now - writtenAt) >= WRITE_INTERVAL_MS) writeLastActivity(now)
}

/** Resets the inactivity time for a new session. */
export function resetActivity(): void {
  ownLast = Date.now()
  sinceOwnLast = startStopwatch()
  writeLastActivity(ownLast)
}

/** Returns the time in ms since the last activity in any tab. */
export function getIdleMs(): number {
  const now = Date.now()
  const stored = readLastActivity()
  // Pages share the wall clock alone; this page's own activity has a clock that nobody sets back.
  if (stored !== undefined && stored === writtenAt) return sinceOwnLast()
  // Without a record: the session was in use when its token was last refreshed.
  const last = Math.max(ownLast, stored ?? (getSession()?.expires_at ?? 0) * 1_000)
  if (last <= now) return now - last
  // The clock was set back since; restart the 30 minutes.
  resetActivity()
  return 0
}

/** Whether the session has timed out: no activity for 30 minutes. */
export function isInactive(): boolean {
  return getIdleMs() >= INACTIVITY_MS
}

function readLastActivity(): number | undefined {
  const value = Number(sharedStorage.get(ACTIVITY_KEY) ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

function writeLastActivity(now: number): void {
  writtenAt = now
  sharedStorage.set(ACTIVITY_KEY, String(now))
}

import { sharedStorage } from './browser-storage.ts'
import { getSession } from './session-store.ts'

/** A session ends after this long (ms) without its person doing anything. */
export const INACTIVITY_MS = 30 * 60_000
/** Local storage key of the last activity, in milliseconds since the epoch, shared by every tab. */
export const ACTIVITY_KEY = 'patio.last-activity'
/** Local storage is written at most this often: a mouse moves hundreds of times a second. */
const WRITE_EVERY_MS = 1_000

/** The last activity that this tab knows of itself, and what it last wrote. */
let ownLast = 0
let writtenAt = 0

/**
 * Notes that the person has just done something: pressed, typed, moved, scrolled, or used a report. Polling
 * and renewal in the background never call this. Once the time is over, nothing brings the session back.
 */
export function noteActivity(): void {
  const now = Date.now()
  if (Math.abs(now - ownLast) >= WRITE_EVERY_MS && (!getSession() || isInactive())) return
  ownLast = now
  if (Math.abs(now - writtenAt) >= WRITE_EVERY_MS) write(now)
}

/** Starts the time anew for a session that has just been opened. */
export function restartActivity(): void {
  ownLast = Date.now()
  write(ownLast)
}

/** When the person last did something in any tab, in ms since the epoch. */
export function lastActivityAt(): number {
  const now = Date.now()
  // Without a record: the session was surely in use when its token was last renewed, before it expires.
  const last = Math.max(ownLast, readStored() ?? (getSession()?.expires_at ?? 0) * 1_000)
  if (last <= now) return last
  // By a clock that was set back since; the 30 minutes count from here.
  restartActivity()
  return now
}

/** Whether nobody has done anything for 30 minutes; what a session's end is due to, if it still stands. */
export function isInactive(): boolean {
  return Date.now() - lastActivityAt() >= INACTIVITY_MS
}

function readStored(): number | undefined {
  const value = Number(sharedStorage.get(ACTIVITY_KEY) ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

function write(now: number): void {
  writtenAt = now
  sharedStorage.set(ACTIVITY_KEY, String(now))
}

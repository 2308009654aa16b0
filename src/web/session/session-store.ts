import type { AuthUser, RenewedSession, Session } from '#contract/accounts.ts'
import { startStopwatch } from '#contract/timing.ts'
import { sharedStorage } from './browser-storage.ts'

/** Local storage key of the session, shared by all tabs. */
const SESSION_KEY = 'patio.session'
/**
 * Key of the confirmation mark of a sign-up; removed on
 * sign-in and sign-out, since the person may be another.
 */
export const MARK_KEY = 'patio.confirmation-mark'
/** Key under which 0.2 stored the last report; only removed. */
const LAST_REPORT_KEY = 'patio.last-report'

export interface StoredSession {
  user: AuthUser
  access_token: string
  refresh_token: string
  /** Seconds since the epoch by this browser's clock. */
  expires_at: number
}

let lastRead: { raw: string | null; session: StoredSession | undefined } = { raw: null, session: undefined }

/**
 * Returns the session in local storage, the same object until
 * it changes; undefined for an invalid value.
 */
export function getSession(): StoredSession | undefined {
  const raw = sharedStorage.get(SESSION_KEY)
  if (raw !== lastRead.raw) lastRead = { raw, session: parseSession(raw) }
  return lastRead.session
}

/** The last token that this page received. */
let received: { token: string; expiresIn: number; elapsed: () => number } | undefined

/** @param session a new one, or the stored one with a newer access token */
export function storeSession(session: Omit<Session, 'expires_at' | 'token_type'>): StoredSession {
  const { user, access_token, refresh_token, expires_in } = session
  // Computed from now: the expiry must follow this browser's clock, even if that is wrong.
  const expires_at = Math.floor(Date.now() / 1000) + expires_in
  const stored: StoredSession = { user, access_token, refresh_token, expires_at }
  markSignOut(false)
  received = { token: access_token, expiresIn: expires_in, elapsed: startStopwatch() }
  sharedStorage.set(SESSION_KEY, JSON.stringify(stored))
  return getSession() ?? stored
}

/** Stores the access token of a renewed proof, here and in other tabs. */
export function adoptRenewal({ access_token, expires_in }: RenewedSession): void {
  const current = getSession()
  if (!current) return
  storeSession({ ...current, access_token, expires_in })
  broadcastAuthEvent('TOKEN_REFRESHED')
}

/** How a session ended; 'refused' is by the server, which gives the reason. */
export type SessionEnd = { kind: 'signed-out' | 'inactive' } | { kind: 'refused'; detail: string }
const END_KEY = 'patio.session-end'

/** Held while a tab signs out, whose end the server may tell the other tabs first. */
const SIGN_OUT_KEY = 'patio.signing-out'
let isSigningOut = false

/** @param isStarted false once it has failed */
export function markSignOut(isStarted: boolean): void {
  isSigningOut = isStarted
  if (isStarted) sharedStorage.set(SIGN_OUT_KEY, 'yes')
  else sharedStorage.remove(SIGN_OUT_KEY)
}

const isSignOutMarked = () => sharedStorage.get(SIGN_OUT_KEY) !== null

/** @param end stored, so that every tab can show it */
export function clearSession(end: SessionEnd = { kind: 'signed-out' }): void {
  // Also in the tab that signs out: its own stream may end before the reply, and others read this.
  const known: SessionEnd = isSignOutMarked() ? { kind: 'signed-out' } : end
  sharedStorage.set(END_KEY, JSON.stringify(known))
  sharedStorage.remove(SESSION_KEY)
}

export function readSessionEnd(): SessionEnd {
  try {
    const end = JSON.parse(sharedStorage.get(END_KEY) ?? '') as Partial<SessionEnd & { detail: unknown }>
    if (end.kind === 'inactive') return { kind: end.kind }
    if (end.kind === 'refused' && typeof end.detail === 'string')
      return { kind: end.kind, detail: end.detail }
  } catch {}
  return { kind: 'signed-out' }
}

/** Whether this session may only change its password. */
export function mustChangePassword(session: StoredSession): boolean {
  return session.user.app_metadata.must_change_password
}

/** Names whose new recovery codes were not seen to the end, after a required set-up. */
const UNSEEN_CODES_KEY = 'patio.unseen-codes'

/** @param userId undefined once they are kept */
export function markUnseenCodes(userId?: string): void {
  if (userId) sharedStorage.set(UNSEEN_CODES_KEY, userId)
  else sharedStorage.remove(UNSEEN_CODES_KEY)
}

/**
 * What the session owes before it opens the portal; undefined in sessions of 0.2. A set-up lasts until
 * its recovery codes are kept, through reloads and refreshes.
 */
export function getOwedStep({ user }: StoredSession): 'verify' | 'set-up' | undefined {
  const isUnfinished = () => sharedStorage.get(UNSEEN_CODES_KEY) === user.id
  return user.app_metadata.second_factor ?? (isUnfinished() ? 'set-up' : undefined)
}

/** Returns the remaining lifetime of the access token in seconds; negative once expired. */
export function getSecondsLeft(session: StoredSession): number {
  if (received?.token === session.access_token) return received.expiresIn - received.elapsed() / 1000
  // Pages share no other clock; should it have been set back, the server's 401 causes the refresh.
  return session.expires_at - Date.now() / 1000
}

function parseSession(raw: string | null): StoredSession | undefined {
  if (raw === null) return undefined
  try {
    const value: unknown = JSON.parse(raw)
    return isStoredSession(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Written by hand: a schema would pull zod into every screen. */
function isStoredSession(value: unknown): value is StoredSession {
  const session = value as Partial<StoredSession> | null
  return (
    typeof session?.access_token === 'string' &&
    typeof session.refresh_token === 'string' &&
    typeof session.expires_at === 'number' &&
    typeof session.user?.id === 'string' &&
    typeof session.user.email === 'string' &&
    typeof session.user.app_metadata?.must_change_password === 'boolean'
  )
}

export type AuthEvent = 'SIGNED_IN' | 'SIGNED_OUT' | 'TOKEN_REFRESHED' | 'USER_UPDATED'
/** @param isElsewhere whether it happened in another tab */
type Listener = (event: AuthEvent, isElsewhere: boolean) => void

const listeners = new Set<Listener>()
/** The session that the listeners were last notified of. */
let lastKnown: StoredSession | undefined
let channel: BroadcastChannel | undefined
let isListening = false

/**
 * Subscribes to session changes in this tab or another.
 * @returns an unsubscribe function
 */
export function onAuthStateChange(listener: Listener): () => void {
  listenToOtherTabs()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Notifies this and other tabs of a change of the stored session. Only the event's name is sent. */
export function broadcastAuthEvent(event: AuthEvent): void {
  listenToOtherTabs()
  lastKnown = getSession()
  if (event === 'SIGNED_IN' || event === 'SIGNED_OUT')
    for (const key of [MARK_KEY, LAST_REPORT_KEY]) sharedStorage.remove(key)
  channel?.postMessage(event)
  notifyListeners(event, !isSigningOut && isSignOutMarked())
}

function notifyListeners(event: AuthEvent, isElsewhere = true): void {
  for (const listener of [...listeners]) listener(event, isElsewhere)
}

function listenToOtherTabs(): void {
  if (isListening) return
  isListening = true
  lastKnown = getSession()
  if (typeof BroadcastChannel !== 'undefined') {
    channel = new BroadcastChannel('patio.auth')
    channel.addEventListener('message', ({ data }) =>
      data === 'USER_UPDATED' ? notifyListeners(data) : detectChange(),
    )
  }
  if (typeof window === 'undefined') return
  window.addEventListener('storage', ({ key }) => {
    if (key === SESSION_KEY || key === null) detectChange()
  })
  // A page restored by the back button has missed all changes meanwhile.
  window.addEventListener('pageshow', detectChange)
}

/** Compares with storage, the only source of truth: a message may arrive before its change. */
function detectChange(): void {
  const before = lastKnown
  lastKnown = getSession()
  if (lastKnown?.access_token === before?.access_token) return
  if (!lastKnown) notifyListeners('SIGNED_OUT', !isSigningOut)
  else if (lastKnown.user.id === before?.user.id) notifyListeners('TOKEN_REFRESHED')
  else {
    // This tab's own sign-out is over: the next one may be elsewhere.
    isSigningOut = false
    notifyListeners('SIGNED_IN')
  }
}

import type { AuthUser, Session } from '#contract/accounts.ts'
import { sharedStorage } from './browser-storage.ts'

/** Local storage key of the session, shared by every tab. */
const SESSION_KEY = 'patio.session'
/** Of the mark of a sign-up. Whoever signs in or out may be somebody else than who signed up. */
export const MARK_KEY = 'patio.confirmation-mark'
/** Where 0.2 kept the ids of the report that was open last. */
const LAST_REPORT_KEY = 'patio.last-report'

export interface StoredSession {
  user: AuthUser
  access_token: string
  refresh_token: string
  /** Seconds since the epoch by this browser's clock. */
  expires_at: number
}

let lastRead: { raw: string | null; session: StoredSession | undefined } = { raw: null, session: undefined }

/** The session as local storage has it now; the same object until it changes. A broken value is no session. */
export function getSession(): StoredSession | undefined {
  const raw = sharedStorage.get(SESSION_KEY)
  if (raw !== lastRead.raw) lastRead = { raw, session: parseSession(raw) }
  return lastRead.session
}

export function storeSession(session: Session): StoredSession {
  const { user, access_token, refresh_token, expires_in } = session
  // Counted from now by this clock: a browser whose clock is wrong would renew all the time or too late.
  const expires_at = Math.floor(Date.now() / 1000) + expires_in
  const stored: StoredSession = { user, access_token, refresh_token, expires_at }
  sharedStorage.set(SESSION_KEY, JSON.stringify(stored))
  return getSession() ?? stored
}

/** How a session ended; 'refused' was by the server, which says why. */
export type SessionEnd = { kind: 'signed-out' | 'inactive' } | { kind: 'refused'; detail: string }
const END_KEY = 'patio.session-end'

/** @param end told to every tab: each may be asked about it */
export function clearSession(end: SessionEnd = { kind: 'signed-out' }): void {
  sharedStorage.set(END_KEY, JSON.stringify(end))
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

/** Whether this session may do nothing but change its password. */
export function owesPasswordChange(session: StoredSession): boolean {
  return session.user.app_metadata.must_change_password
}

/** How many seconds the access token is still good for; negative when it has expired. */
export function secondsLeft(session: StoredSession): number {
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

/** By hand: a schema would bring zod into every screen. */
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
/** The session that the listeners last heard of. */
let known: StoredSession | undefined
let channel: BroadcastChannel | undefined
let isListening = false

/**
 * Calls back on every change of the session, in this tab or another.
 * @returns a function that ends it
 */
export function onAuthStateChange(listener: Listener): () => void {
  listenToOtherTabs()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Tells this tab and the others what has just happened to the stored session. Only the name travels. */
export function announce(event: AuthEvent): void {
  listenToOtherTabs()
  known = getSession()
  if (event === 'SIGNED_IN' || event === 'SIGNED_OUT')
    for (const key of [MARK_KEY, LAST_REPORT_KEY]) sharedStorage.remove(key)
  channel?.postMessage(event)
  deliver(event, false)
}

function deliver(event: AuthEvent, isElsewhere = true): void {
  for (const listener of [...listeners]) listener(event, isElsewhere)
}

function listenToOtherTabs(): void {
  if (isListening) return
  isListening = true
  known = getSession()
  if (typeof BroadcastChannel !== 'undefined') {
    channel = new BroadcastChannel('patio.auth')
    channel.addEventListener('message', ({ data }) =>
      data === 'USER_UPDATED' ? deliver(data) : noticeChange(),
    )
  }
  if (typeof window === 'undefined') return
  window.addEventListener('storage', ({ key }) => {
    if (key === SESSION_KEY || key === null) noticeChange()
  })
  // A page that the back button thawed has missed whatever happened meanwhile.
  window.addEventListener('pageshow', noticeChange)
}

/** Storage alone decides what happened elsewhere: a message may arrive before the change that it is about. */
function noticeChange(): void {
  const before = known
  known = getSession()
  if (known?.access_token === before?.access_token) return
  if (!known) deliver('SIGNED_OUT')
  else deliver(known.user.id === before?.user.id ? 'TOKEN_REFRESHED' : 'SIGNED_IN')
}

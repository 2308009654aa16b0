import { getSession, SESSION_KEY, type StoredSession } from './session-store.ts'

export type AuthEvent = 'SIGNED_IN' | 'SIGNED_OUT' | 'TOKEN_REFRESHED' | 'USER_UPDATED'
type Listener = (event: AuthEvent) => void

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
  channel?.postMessage(event)
  deliver(event)
}

function deliver(event: AuthEvent): void {
  for (const listener of [...listeners]) listener(event)
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

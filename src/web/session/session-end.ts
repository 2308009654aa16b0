import { closeAllToasts } from '#web/ui/toast.tsx'
import { readDraft, storeDraft, tabStorage } from './browser-storage.ts'
import { getSession, onAuthStateChange, readSessionEnd, type SessionEnd } from './session-store.ts'

/** The last session of this tab, unless the person signed out here. */
interface EndedSession {
  /** The text for /login. */
  reason: string
  userId: string | undefined
  /** The path to return to, unless the person signed out in another tab. */
  path: string | undefined
}

let ended: EndedSession | undefined

/**
 * Remembers why and where this tab's session ended and closes the person's
 * toasts. Must start before other listeners show toasts about the end.
 * @returns an unsubscribe function
 */
export function watchSessionEnd(): () => void {
  let userId = getSession()?.user.id
  return onAuthStateChange((event, isElsewhere) => {
    if (event === 'SIGNED_OUT') {
      const end = readSessionEnd()
      closeAllToasts()
      // Requests in flight fail a moment later; their toasts are closed too.
      if (end.kind === 'refused') setTimeout(closeAllToasts)
      const reason = toEndReason(end, isElsewhere)
      const path = end.kind === 'signed-out' ? undefined : location.pathname + location.search
      ended = reason === undefined ? undefined : { reason, userId, path }
    }
    userId = getSession()?.user.id ?? userId
  })
}

function toEndReason(end: SessionEnd, isElsewhere: boolean): string | undefined {
  if (end.kind === 'refused') return end.detail
  if (end.kind === 'inactive') return 'Ao entrar, você volta para onde estava.'
  return isElsewhere ? 'Você saiu do portal em outra aba.' : undefined
}

/** Returns why this tab's last session ended; undefined after a sign-out here, or without one. */
export function getSessionEndReason(): string | undefined {
  return ended?.reason
}

/** Returns the path where this person's last session ended; undefined for anyone else. */
export function getReturnPath(userId: string | undefined): string | undefined {
  return ended?.userId === userId ? toReturnPath(ended?.path) : undefined
}

/** Returns a path of this origin's screens; undefined for '//host', backslashes, schemes and /api. */
export function toReturnPath(path: string | undefined): string | undefined {
  // Browsers drop tabs and line breaks from addresses.
  return path && /^\/(?!\/|api(\/|$))[^\\\t\n\r]*$/.test(path) ? path : undefined
}

const KEPT_KEY = 'patio.return-path'

/** Keeps where the session ended and where a link led while this tab is away at Microsoft. */
export function keepReturnPath(linked: string | undefined): void {
  storeDraft(KEPT_KEY, { ended, linked })
}

/** Restores what this tab kept. @returns where the link led */
export function restoreReturnPath(): string | undefined {
  const kept = readDraft<{ ended: EndedSession; linked: string }>(KEPT_KEY)
  ended ??= kept.ended
  return toReturnPath(kept.linked)
}

/** Called once a person is signed in again. */
export function clearSessionEnd(): void {
  ended = undefined
  tabStorage.remove(KEPT_KEY)
}

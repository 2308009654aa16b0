import { closeAllToasts } from '#web/ui/toast.tsx'
import { getSession, onAuthStateChange, readSessionEnd, type SessionEnd } from './session-store.ts'

/** The session that was open in this tab until it ended without a word of its person here. */
interface EndedHere {
  /** For /login, beside the notice of an inactivity. */
  reason: string
  userId: string | undefined
  /** Where the person was, unless they signed out. */
  path: string | undefined
}

let ended: EndedHere | undefined

/**
 * Remembers why and where this tab's session ended, and clears the notices of whoever it was. Start it before what
 * gives notice of the end itself.
 * @returns a function that ends it
 */
export function watchSessionEnd(): () => void {
  let userId = getSession()?.user.id
  return onAuthStateChange((event, isElsewhere) => {
    if (event === 'SIGNED_OUT') {
      const end = readSessionEnd()
      closeAllToasts()
      // What was on its way when the session ended fails a moment later, and is no news either.
      if (end.kind === 'refused') setTimeout(closeAllToasts)
      const reason = reasonOf(end, isElsewhere)
      const path = end.kind === 'signed-out' ? undefined : location.pathname + location.search
      ended = reason === undefined ? undefined : { reason, userId, path }
    }
    userId = getSession()?.user.id ?? userId
  })
}

function reasonOf(end: SessionEnd, isElsewhere: boolean): string | undefined {
  if (end.kind === 'refused') return end.detail
  if (end.kind === 'inactive') return 'Ao entrar, você volta para onde estava.'
  return isElsewhere ? 'Você saiu do portal em outra aba.' : undefined
}

/** Why the last session of this tab ended; undefined when its person ended it here, or there was none. */
export function readEndReason(): string | undefined {
  return ended?.reason
}

/** The path of this portal where somebody who signs in again was before; undefined for anybody else. */
export function readReturnPath(userId: string | undefined): string | undefined {
  const path = ended?.userId === userId ? ended?.path : undefined
  // '//host' is another's address, however it came to be this one's path.
  return path && /^\/(?![/\\])/.test(path) ? path : undefined
}

/** Somebody is back in. */
export function forgetEnd(): void {
  ended = undefined
}

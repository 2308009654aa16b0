import { sessionMessages } from '#contract/messages.ts'
import { setDocumentTitle } from '#web/ui/document-title.ts'
import { closeToast, showToast } from '#web/ui/toast.tsx'
import { formatTimeLeft } from '#web/ui/use-seconds-left.ts'
import { ACTIVITY_KEY, INACTIVITY_MS, isInactive, lastActivityAt, noteActivity } from './activity.ts'
import { getSession, onAuthStateChange, signOut } from './session.ts'

/** The warning comes this long before the sign-out. */
const WARNING_MS = 2 * 60_000
/** Timers stand still while a computer sleeps, so the clock itself is looked at this often. */
const LOOK_EVERY_MS = 20_000
const ACTIVITIES = ['mousedown', 'mousemove', 'keydown', 'scroll', 'wheel', 'touchstart', 'click'] as const

/**
 * Signs out whoever has done nothing for 30 minutes, in every tab, and warns 2 minutes before. Start it before anything asks the server: a tab opened again too late ends at once.
 * @returns a function that ends it
 */
export function watchInactivity(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let warning: { end(): void } | undefined
  /** Where the mouse was last seen while the warning shows. */
  let pointer: string | undefined

  const calmDown = () => {
    warning?.end()
    warning = undefined
  }
  const look = () => {
    clearTimeout(timer)
    if (!getSession()) return calmDown()
    if (isInactive()) return void signOut({ reason: 'inactivity' })
    const idleMs = idleTime()
    const untilWarningMs = INACTIVITY_MS - WARNING_MS - idleMs
    if (untilWarningMs > 0) calmDown()
    else if (!warning) {
      pointer = undefined
      warning = warn(INACTIVITY_MS - idleMs, onActivity)
      takeFocusBack()
    }
    const untilNextMs = untilWarningMs > 0 ? untilWarningMs : INACTIVITY_MS - idleMs
    timer = setTimeout(look, Math.min(untilNextMs, LOOK_EVERY_MS))
  }
  const onActivity = (event?: Event) => {
    if (warning && event?.type === 'mousemove') {
      const { screenX, screenY } = event as MouseEvent
      const before = pointer
      pointer = `${screenX} ${screenY}`
      // Browsers tell of a move, too, when what lies under a mouse that rests has changed.
      if (before === undefined || before === pointer) return
    }
    noteActivity()
    if (warning || isInactive()) look()
  }
  const stopFollowing = onAuthStateChange((event) => {
    // Whichever tab was first, each one says why; tabs may see the time of the last activity a little apart.
    if (event === 'SIGNED_OUT' && idleTime() >= INACTIVITY_MS - WARNING_MS) sayWhy()
    look()
  })
  const stopListening = listen(onActivity, look)
  look()
  return () => {
    clearTimeout(timer)
    stopFollowing()
    stopListening()
  }
}

/** Listens to what the person does, and to whatever may have happened while this page was not running. */
function listen(onActivity: (event?: Event) => void, look: () => void): () => void {
  const ending = new AbortController()
  const options = { signal: ending.signal, capture: true, passive: true }
  for (const name of ACTIVITIES) window.addEventListener(name, onActivity, options)
  // A frame swallows mouse and keys; that it was clicked into shows only in the focus leaving the page.
  const onBlur = () => {
    if (isInFrame()) onActivity()
    // Some browsers move the focus only after the event.
    else setTimeout(() => isInFrame() && onActivity())
  }
  window.addEventListener('blur', onBlur, { signal: ending.signal })
  window.addEventListener('pageshow', look, { signal: ending.signal })
  window.addEventListener('focus', look, { signal: ending.signal })
  window.addEventListener('storage', ({ key }) => key === ACTIVITY_KEY && look(), { signal: ending.signal })
  document.addEventListener('visibilitychange', look, { signal: ending.signal })
  return () => ending.abort()
}

function idleTime(): number {
  return Date.now() - lastActivityAt()
}

function isInFrame(): boolean {
  return document.activeElement?.tagName === 'IFRAME'
}

/** Says in the page and in the tab's name how long it still takes, and lets the page hear what is done over its frames. */
function warn(lifetimeMs: number, stay: () => void): { end(): void } {
  const countdownTo = Date.now() + lifetimeMs
  const action = { label: 'Continuar conectado', run: () => stay() }
  const title = sessionMessages.inactivityWarning
  const id = showToast({ kind: 'warning', title, action, countdownTo, lifetimeMs })
  const nameRemaining = () =>
    setDocumentTitle({ remark: `Sessão expira em ${formatTimeLeft(countdownTo - Date.now())}` })
  nameRemaining()
  const timer = setInterval(nameRemaining, 1_000)
  // A frame swallows the moves and turns of whoever is reading in it; they all reach what lies below instead.
  const frames = [...document.querySelectorAll('iframe')]
  for (const { style } of frames) style.pointerEvents = 'none'
  return {
    end() {
      for (const { style } of frames) style.pointerEvents = ''
      clearInterval(timer)
      setDocumentTitle({ remark: '' })
      closeToast(id)
    },
  }
}

/** The next click or key into a frame that already has the focus would not be noticed. */
function takeFocusBack(): void {
  if (!isInFrame()) return
  ;(document.activeElement as HTMLElement).blur()
  window.focus()
}

/** It stays until it is closed: nobody is there to read it now. */
function sayWhy(): void {
  showToast({
    kind: 'error',
    title: sessionMessages.inactivitySignOut,
    lifetimeMs: Number.POSITIVE_INFINITY,
  })
}

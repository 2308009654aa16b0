import { sessionMessages } from '#contract/messages.ts'
import { setDocumentTitle } from '#web/ui/document-title.ts'
import { closeToast, showToast } from '#web/ui/toast.tsx'
import { formatTimeLeft } from '#web/ui/use-seconds-left.ts'
import { ACTIVITY_KEY, INACTIVITY_MS, isInactive, lastActivityAt, noteActivity } from './activity.ts'
import { getSession, onAuthStateChange, signOut } from './session.ts'

/** How long before the sign-out the warning shows. */
const WARNING_MS = 2 * 60_000
/** Timers stop while a computer sleeps, so the clock is checked this often. */
const LOOK_EVERY_MS = 20_000
const ACTIVITIES = ['mousedown', 'mousemove', 'keydown', 'scroll', 'wheel', 'touchstart', 'click'] as const

/**
 * Signs out after 30 minutes of inactivity, in every tab, and warns 2 minutes before. Must
 * start before the first request, so that a tab reopened too late ends its session at once.
 * @returns an unsubscribe function
 */
export function watchInactivity(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let warning: { end(): void } | undefined
  /** The mouse position while the warning shows. */
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
      // Browsers also fire mousemove when the element below a resting mouse changes.
      if (before === undefined || before === pointer) return
    }
    noteActivity()
    if (warning || isInactive()) look()
  }
  const stopFollowing = onAuthStateChange((event) => {
    // Each tab shows the reason, whichever signed out first; their last activities may differ slightly.
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

/** Listens for activity, and for signs that the page was asleep meanwhile. */
function listen(onActivity: (event?: Event) => void, look: () => void): () => void {
  const ending = new AbortController()
  const options = { signal: ending.signal, capture: true, passive: true }
  for (const name of ACTIVITIES) window.addEventListener(name, onActivity, options)
  // A frame receives mouse and keys itself; only the page's loss of focus shows a click into it.
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

/** Shows the countdown in a toast and in the document title. Frames let events through to the page. */
function warn(lifetimeMs: number, stay: () => void): { end(): void } {
  const countdownTo = Date.now() + lifetimeMs
  const action = { label: 'Continuar conectado', run: () => stay() }
  const title = sessionMessages.inactivityWarning
  const id = showToast({ kind: 'warning', title, action, countdownTo, lifetimeMs })
  const nameRemaining = () =>
    setDocumentTitle({ remark: `Sessão expira em ${formatTimeLeft(countdownTo - Date.now())}` })
  nameRemaining()
  const timer = setInterval(nameRemaining, 1_000)
  // A frame would receive the moves of the mouse itself; without pointer events they reach the page.
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

/** Moves the focus out of a frame, whose next click or key would go unnoticed. */
function takeFocusBack(): void {
  if (!isInFrame()) return
  ;(document.activeElement as HTMLElement).blur()
  window.focus()
}

/** Shows why; stays until closed, since the person is away. */
function sayWhy(): void {
  showToast({
    kind: 'error',
    title: sessionMessages.inactivitySignOut,
    lifetimeMs: Number.POSITIVE_INFINITY,
  })
}

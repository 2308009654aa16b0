import { sessionMessages } from '#contract/messages.ts'
import { setDocumentTitle } from '#web/ui/document-title.ts'
import { closeToast, showToast } from '#web/ui/toast.tsx'
import { formatTimeLeft } from '#web/ui/use-seconds-left.ts'
import { ACTIVITY_KEY, getIdleMs, INACTIVITY_MS, isInactive, recordActivity } from './activity.ts'
import { getSession, onAuthStateChange, signOut } from './session.ts'

/** How long before the sign-out the warning shows. */
const WARNING_MS = 2 * 60_000
/** Timers stop while a computer sleeps, so the clock is checked this often. */
const CHECK_INTERVAL_MS = 20_000
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

  const closeWarning = () => {
    warning?.end()
    warning = undefined
  }
  const check = () => {
    clearTimeout(timer)
    if (!getSession()) return closeWarning()
    if (isInactive()) return void signOut({ reason: 'inactivity' })
    const idleMs = getIdleMs()
    const untilWarningMs = INACTIVITY_MS - WARNING_MS - idleMs
    if (untilWarningMs > 0) closeWarning()
    else if (!warning) {
      pointer = undefined
      warning = showWarning(INACTIVITY_MS - idleMs, onActivity)
      blurFrame()
    }
    const untilNextMs = untilWarningMs > 0 ? untilWarningMs : INACTIVITY_MS - idleMs
    timer = setTimeout(check, Math.min(untilNextMs, CHECK_INTERVAL_MS))
  }
  const onActivity = (event?: Event) => {
    if (warning && event?.type === 'mousemove') {
      const { screenX, screenY } = event as MouseEvent
      const before = pointer
      pointer = `${screenX} ${screenY}`
      // Browsers also fire mousemove when the element below a resting mouse changes.
      if (before === undefined || before === pointer) return
    }
    recordActivity()
    if (warning || isInactive()) check()
  }
  const unsubscribe = onAuthStateChange((event) => {
    // Each tab shows the reason, whichever signed out first; their last activities may differ slightly.
    if (event === 'SIGNED_OUT' && getIdleMs() >= INACTIVITY_MS - WARNING_MS) showSignOutReason()
    check()
  })
  const stopListening = listen(onActivity, check)
  check()
  return () => {
    clearTimeout(timer)
    unsubscribe()
    stopListening()
  }
}

/** Listens for activity, and for signs that the page was asleep meanwhile. */
function listen(onActivity: (event?: Event) => void, check: () => void): () => void {
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
  window.addEventListener('pageshow', check, { signal: ending.signal })
  window.addEventListener('focus', check, { signal: ending.signal })
  window.addEventListener('storage', ({ key }) => key === ACTIVITY_KEY && check(), { signal: ending.signal })
  document.addEventListener('visibilitychange', check, { signal: ending.signal })
  return () => ending.abort()
}

function isInFrame(): boolean {
  return document.activeElement?.tagName === 'IFRAME'
}

/** Shows the countdown in a toast and in the document title. Frames let events through to the page. */
function showWarning(lifetimeMs: number, onStay: () => void): { end(): void } {
  const countdownTo = Date.now() + lifetimeMs
  const action = { label: 'Continuar conectado', run: () => onStay() }
  const title = sessionMessages.inactivityWarning
  const id = showToast({ kind: 'warning', title, action, countdownTo, lifetimeMs })
  const updateTitle = () =>
    setDocumentTitle({ remark: `Sessão expira em ${formatTimeLeft(countdownTo - Date.now())}` })
  updateTitle()
  const timer = setInterval(updateTitle, 1_000)
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
function blurFrame(): void {
  if (!isInFrame()) return
  ;(document.activeElement as HTMLElement).blur()
  window.focus()
}

/** Shows why; stays until closed, since the person is away. */
function showSignOutReason(): void {
  showToast({
    kind: 'error',
    title: sessionMessages.inactivitySignOut,
    lifetimeMs: Number.POSITIVE_INFINITY,
  })
}

import X from 'lucide-react/icons/x'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { KindIcon, type NoticeKind } from './alert.tsx'
import { useHydrated } from './button.tsx'
import { classNames } from './class-names.ts'
import { Tooltip } from './tooltip.tsx'
import { useSecondsLeft, writeTimeLeft } from './use-seconds-left.ts'

export interface ToastContent {
  kind: NoticeKind
  title: string
  description?: string
  /** How long it stands; after its kind unless said, Infinity until it is closed. */
  lifetimeMs?: number
  /** One thing that can be done about it, 'Desfazer' say. */
  action?: ToastAction
  /** Milliseconds since the epoch: what is left until then is counted down below the title. */
  countdownTo?: number
}
export interface ToastAction {
  label: string
  run: () => void
}
export interface ShownToast extends ToastContent {
  id: number
}

/** A notice that says what went wrong stays longer than one that says that all is well. */
const LIFETIMES_MS: Record<NoticeKind, number> = { success: 5_000, info: 6_000, warning: 9_000, error: 9_000 }
/** The oldest that offers nothing goes first. A screen of nine areas can tell of each; what has no room is scrolled to. */
const MAX_SHOWN = 9

let shown: readonly ShownToast[] = []
let lastId = 0
let isPaused = false
const subscribers = new Set<() => void>()
const timers = new Map<
  number,
  { timer?: ReturnType<typeof setTimeout>; endsAt: number; remainingMs: number }
>()

/**
 * Shows a short notice over the page; it goes by itself, but waits while it is pointed at or focused. One that
 * offers something goes on time, because the offer ends then.
 * @returns its id, for closeToast
 */
export function showToast(toast: ToastContent): number {
  // Said again, it takes the place of the one that still stands, but no offer is taken back.
  const same = shown.find(
    ({ kind, title, action }) => !action && kind === toast.kind && title === toast.title,
  )
  if (same) closeToast(same.id)
  lastId += 1
  const id = lastId
  timers.set(id, { endsAt: 0, remainingMs: toast.lifetimeMs ?? LIFETIMES_MS[toast.kind] })
  publish([...shown, { ...toast, id }])
  if (!isPaused || toast.action) start(id)
  const tooMany = Math.max(0, shown.length - MAX_SHOWN)
  for (const { id: oldId } of shown.filter((each) => !each.action).slice(0, tooMany)) closeToast(oldId)
  return id
}

export function closeToast(id: number): void {
  clearTimeout(timers.get(id)?.timer)
  timers.delete(id)
  publish(shown.filter((toast) => toast.id !== id))
}

/**
 * Takes every notice away: what was said about the last attempt is over when the next one starts. What a notice
 * offers is not over, so those stay.
 */
export function closeToasts(): void {
  for (const { id, action } of shown) if (!action) closeToast(id)
}

/** Takes away also what offers something: whoever it was offered to is gone. */
export function closeEveryToast(): void {
  for (const { id } of shown) closeToast(id)
}

/** Does what a notice offers, and takes the notice away, so that it is done once. */
export function runToastAction(id: number): void {
  const action = shown.find((toast) => toast.id === id)?.action
  closeToast(id)
  action?.run()
}

/** Stops every toast's clock, or lets it run on from where it stood. */
export function pauseToasts(pause: boolean): void {
  if (pause === isPaused) return
  isPaused = pause
  for (const { id, action } of shown) if (!action) pause ? stop(id) : start(id)
}

export const toastStore = {
  subscribe(callback: () => void): () => void {
    subscribers.add(callback)
    return () => subscribers.delete(callback)
  },
  read: (): readonly ShownToast[] => shown,
}

function start(id: number): void {
  const clock = timers.get(id)
  if (!clock) return
  // No timer reaches that far: it would run out at once.
  if (clock.remainingMs === Number.POSITIVE_INFINITY) return
  clock.endsAt = Date.now() + clock.remainingMs
  clock.timer = setTimeout(() => closeToast(id), clock.remainingMs)
}

function stop(id: number): void {
  const clock = timers.get(id)
  if (!clock || clock.remainingMs === Number.POSITIVE_INFINITY) return
  clearTimeout(clock.timer)
  clock.remainingMs = Math.max(1_000, clock.endsAt - Date.now())
}

function publish(next: readonly ShownToast[]): void {
  shown = next
  for (const callback of [...subscribers]) callback()
}

/** The place where toasts appear; once in the page. Also behind a modal dialog they are seen, read out and closable. */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.read, toastStore.read)
  const section = useRef<HTMLElement>(null)
  const isHydrated = useHydrated()
  usePauseWhileHidden()
  useToastShortcut(section, toasts)
  const newest = toasts.at(-1)?.id
  const isAtOtherEnd = useOtherEnd(section, newest)
  useEffect(() => {
    // What pointed at the last toast cannot leave it any more once it is gone.
    if (newest === undefined) pauseToasts(false)
    section.current?.scrollTo(0, 9e9)
  }, [newest])
  // A portal cannot be drawn beforehand.
  if (!isHydrated) return null
  // Outside the root, which is a stacking context of its own below every dialog and its shade.
  return createPortal(
    // Polite for good news; an error carries role="alert" of its own and interrupts.
    <section
      ref={section}
      aria-label="Notificações"
      aria-keyshortcuts="F6"
      aria-live="polite"
      aria-relevant="additions"
      onMouseEnter={() => pauseToasts(true)}
      onMouseLeave={() => pauseToasts(false)}
      onFocus={() => pauseToasts(true)}
      onBlur={() => pauseToasts(false)}
      // From the top on a narrow window, where the keyboard and the buttons are below; on a wide one while a dialog
      // stands open. The newest two are seen there and the others scrolled to.
      className={classNames(
        'toasts pointer-events-none fixed z-50 flex flex-col gap-2 overflow-y-auto',
        isAtOtherEnd && 'toasts-at-other-end',
      )}
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>,
    document.body,
  )
}

/** Whether the notices would otherwise stand over what they most likely speak of: what has the focus. */
function useOtherEnd(section: RefObject<HTMLElement | null>, newest: number | undefined): boolean {
  const [isAtOtherEnd, setIsAtOtherEnd] = useState(false)
  useLayoutEffect(() => {
    if (newest === undefined) return setIsAtOtherEnd(false)
    const focused = document.activeElement
    if (!section.current || !focused || focused === document.body || section.current.contains(focused)) return
    const [own, spoken] = [section.current.getBoundingClientRect(), focused.getBoundingClientRect()]
    const isBeside = own.right <= spoken.left || spoken.right <= own.left
    if (!isBeside && own.top < spoken.bottom && spoken.top < own.bottom) setIsAtOtherEnd((is) => !is)
  }, [section, newest])
  return isAtOtherEnd
}

function ToastCard({ toast }: { toast: ShownToast }) {
  const isUrgent = toast.kind === 'error' || toast.kind === 'warning'
  return (
    <div
      role={isUrgent ? 'alert' : undefined}
      className="toast pointer-events-auto flex items-start gap-3 rounded-lg border border-line bg-raised p-4 pr-2 text-ink text-sm shadow-lg"
    >
      <KindIcon kind={toast.kind} className="mt-0.5" />
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-3">
        <div className="min-w-0 flex-1 basis-44 space-y-0.5">
          <p className="font-medium">{toast.title}</p>
          {toast.description && <p className="text-muted">{toast.description}</p>}
          {toast.countdownTo && <Countdown to={toast.countdownTo} />}
        </div>
        {toast.action && (
          <button
            type="button"
            onClick={() => runToastAction(toast.id)}
            className="-my-2 -ml-2 h-9 shrink-0 rounded-md px-2 font-medium text-brand-strong hover:bg-subtle"
          >
            {toast.action.label}
          </button>
        )}
      </div>
      <Tooltip text="Fechar" className="tooltip-beside -my-2 shrink-0">
        <button
          type="button"
          aria-label="Fechar notificação"
          onClick={() => closeToast(toast.id)}
          className="inline-flex size-9 items-center justify-center rounded-md text-muted hover:bg-subtle hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      </Tooltip>
    </div>
  )
}

/** Not read out: a screen reader would say every second. */
function Countdown({ to }: { to: number }) {
  return (
    <p aria-hidden="true" className="text-muted tabular-nums">
      Faltam {writeTimeLeft(useSecondsLeft(to) * 1_000)}.
    </p>
  )
}

/** A notice in a tab that is out of sight is not read. */
function usePauseWhileHidden(): void {
  useEffect(() => {
    const follow = () => pauseToasts(document.visibilityState === 'hidden')
    document.addEventListener('visibilitychange', follow)
    return () => document.removeEventListener('visibilitychange', follow)
  }, [])
}

/**
 * F6 moves the focus to the newest notice and back again: the notices stand at the end of the page, too far to
 * tab to before they go. When the focused one goes, the focus returns to where it came from.
 */
function useToastShortcut(section: RefObject<HTMLElement | null>, toasts: readonly ShownToast[]): void {
  const cameFrom = useRef<HTMLElement>(null)

  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      const newest = section.current?.lastElementChild?.querySelector('button')
      if (event.key !== 'F6' || !newest) return
      event.preventDefault()
      if (section.current?.contains(document.activeElement)) return cameFrom.current?.focus()
      cameFrom.current = document.activeElement as HTMLElement | null
      newest.focus()
    }
    document.addEventListener('keydown', follow)
    return () => document.removeEventListener('keydown', follow)
  }, [section])

  // biome-ignore lint/correctness/useExhaustiveDependencies: it looks where the focus is after every change of the notices
  useEffect(() => {
    if (document.activeElement !== document.body) return
    cameFrom.current?.focus()
    cameFrom.current = null
  }, [toasts])
}

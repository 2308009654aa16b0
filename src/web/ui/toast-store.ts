import type { NoticeKind } from './kind-icon.tsx'

export interface ToastContent {
  kind: NoticeKind
  title: string
  description?: string
  /** How long it stands; after its kind unless said, Infinity until it is closed. */
  lifetimeMs?: number
  /** One thing that can be done about it, 'Desfazer' say. */
  action?: ToastAction
}
export interface ToastAction {
  label: string
  /** Called once, when the notice has gone. */
  run: () => void
}
export interface ShownToast extends ToastContent {
  id: number
}

/** A notice that says what went wrong stays longer than one that says that all is well. */
const LIFETIMES_MS: Record<NoticeKind, number> = { success: 5_000, info: 6_000, warning: 9_000, error: 9_000 }
/** More than these would cover the page; the oldest that offers nothing goes first. A contact form can break five rules. */
const MAX_SHOWN = 5

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

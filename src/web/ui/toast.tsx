import { withoutRequestId } from '#contract/messages.ts'
import type { NoticeKind } from './alert.tsx'

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
interface ToastAction {
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
  const cause = causeOf({ ...toast, id })
  publish([...shown, { ...toast, id }])
  // What stands on one card goes as one: there is more to read since.
  for (const mate of shown) if (causeOf(mate) === cause) startAnew(mate)
  const tooMany = Math.max(0, shown.length - MAX_SHOWN)
  for (const { id: oldId } of shown.filter((each) => !each.action).slice(0, tooMany)) closeToast(oldId)
  return id
}

export function closeToast(id: number): void {
  clearTimeout(timers.get(id)?.timer)
  timers.delete(id)
  publish(shown.filter((toast) => toast.id !== id))
}

/** Alike for notices that have one cause: what is said below the title is the same, and nothing is offered. */
function causeOf({ id, kind, description, action, countdownTo }: ShownToast): string {
  return description && !action && !countdownTo ? `${kind} ${withoutRequestId(description)}` : String(id)
}

/** The notices by their causes, the newest last. */
export function groupByCause(toasts: readonly ShownToast[]): ReadonlyMap<string, readonly ShownToast[]> {
  const groups = new Map<string, readonly ShownToast[]>()
  for (const toast of toasts) {
    const cause = causeOf(toast)
    const group = [...(groups.get(cause) ?? []), toast]
    groups.delete(cause)
    groups.set(cause, group)
  }
  return groups
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

function startAnew({ id, kind, lifetimeMs = LIFETIMES_MS[kind], action }: ShownToast): void {
  clearTimeout(timers.get(id)?.timer)
  timers.set(id, { endsAt: 0, remainingMs: lifetimeMs })
  if (!isPaused || action) start(id)
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

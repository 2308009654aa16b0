import { removeRequestId } from '#contract/messages.ts'
import type { NoticeKind } from './alert.tsx'

export interface ToastContent {
  kind: NoticeKind
  title: string
  description?: string
  /** The time until it closes; by default depending on its kind, Infinity until closed by hand. */
  lifetimeMs?: number
  /** An optional action, such as 'Desfazer'. */
  action?: ToastAction
  /** Milliseconds since the epoch: the remaining time is counted down below the title. */
  countdownTo?: number
}
interface ToastAction {
  label: string
  run: () => void
}
export interface ShownToast extends ToastContent {
  id: number
}

/** Errors and warnings stay longer. */
const LIFETIMES_MS: Record<NoticeKind, number> = { success: 5_000, info: 6_000, warning: 9_000, error: 9_000 }
/** Time to read what was done, and to reach 'Desfazer' by keys. */
const ACTION_LIFETIME_MS = 15_000
/** The oldest without an action closes first. A screen of nine areas can report each; overflow scrolls. */
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
 * Shows a toast. Its timer pauses while hovered or focused,
 * unless it has an action and a lifetime, which expires on time.
 * @returns its id, for closeToast
 */
export function showToast(toast: ToastContent): number {
  // Replaces an equal toast, but never one with an action.
  const same = shown.find(
    ({ kind, title, action }) => !action && kind === toast.kind && title === toast.title,
  )
  if (same) closeToast(same.id)
  lastId += 1
  const id = lastId
  const cause = toCauseKey({ ...toast, id })
  publish([...shown, { ...toast, id }])
  // Toasts on one card close together, so the timers of the whole card restart.
  for (const mate of shown) if (toCauseKey(mate) === cause) restartTimer(mate)
  const tooMany = Math.max(0, shown.length - MAX_SHOWN)
  for (const { id: oldId } of shown.filter((each) => !each.action).slice(0, tooMany)) closeToast(oldId)
  return id
}

export function closeToast(id: number): void {
  clearTimeout(timers.get(id)?.timer)
  timers.delete(id)
  publish(shown.filter((toast) => toast.id !== id))
}

/** Returns a key that is equal for toasts with the same description and no action. */
function toCauseKey({ id, kind, description, action, countdownTo }: ShownToast): string {
  return description && !action && !countdownTo ? `${kind} ${removeRequestId(description)}` : String(id)
}

/** Groups toasts by cause, the newest last. */
export function groupByCause(toasts: readonly ShownToast[]): ReadonlyMap<string, readonly ShownToast[]> {
  const groups = new Map<string, readonly ShownToast[]>()
  for (const toast of toasts) {
    const cause = toCauseKey(toast)
    const group = [...(groups.get(cause) ?? []), toast]
    groups.delete(cause)
    groups.set(cause, group)
  }
  return groups
}

/**
 * Closes every toast without an action: reports of the last
 * attempt are obsolete when the next one starts.
 */
export function closeToasts(): void {
  for (const { id, action } of shown) if (!action) closeToast(id)
}

/** Closes every toast, also those with an action: the person has signed out. */
export function closeAllToasts(): void {
  for (const { id } of shown) closeToast(id)
}

/** Closes the toast and runs its action, so that it runs once. */
export function runToastAction(id: number): void {
  const action = shown.find((toast) => toast.id === id)?.action
  closeToast(id)
  action?.run()
}

/** Whether the server's time for the action runs out too. */
const endsOnTime = ({ action, lifetimeMs }: ShownToast) => action !== undefined && lifetimeMs !== undefined

/** Pauses or resumes the timers of all toasts that need not end on time. */
export function pauseToasts(pause: boolean): void {
  if (pause === isPaused) return
  isPaused = pause
  for (const toast of shown) if (!endsOnTime(toast)) pause ? stopTimer(toast.id) : startTimer(toast.id)
}

export const toastStore = {
  subscribe(callback: () => void): () => void {
    subscribers.add(callback)
    return () => subscribers.delete(callback)
  },
  read: (): readonly ShownToast[] => shown,
}

function restartTimer(toast: ShownToast): void {
  const { id, kind, action, lifetimeMs = action ? ACTION_LIFETIME_MS : LIFETIMES_MS[kind] } = toast
  clearTimeout(timers.get(id)?.timer)
  timers.set(id, { endsAt: 0, remainingMs: lifetimeMs })
  if (!isPaused || endsOnTime(toast)) startTimer(id)
}

function startTimer(id: number): void {
  const entry = timers.get(id)
  if (!entry) return
  // setTimeout would overflow and fire at once.
  if (entry.remainingMs === Number.POSITIVE_INFINITY) return
  entry.endsAt = Date.now() + entry.remainingMs
  entry.timer = setTimeout(() => closeToast(id), entry.remainingMs)
}

function stopTimer(id: number): void {
  const entry = timers.get(id)
  if (!entry || entry.remainingMs === Number.POSITIVE_INFINITY) return
  clearTimeout(entry.timer)
  entry.remainingMs = Math.max(1_000, entry.endsAt - Date.now())
}

function publish(next: readonly ShownToast[]): void {
  shown = next
  for (const callback of [...subscribers]) callback()
}

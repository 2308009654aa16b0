import { wait } from '#contract/timing.ts'

interface ExpiryOptions {
  element: EventTarget
  /** Gives the frame a fresh token in place; false when none could be had. */
  renewInPlace: () => Promise<boolean>
  reload: () => void
  signal: AbortSignal
}

/** How long a frame may take to show itself again with its new token. */
export const COMEBACK_MS = 4_000
export const RELOAD_MS = 20_000

/**
 * The one recovery after TokenExpired: a fresh token in place, and only if the frame does not come back with
 * it, a reload of the report inside the frame (a new token alone is not always enough after the end).
 * @returns whether the report is back; true also when it was closed meanwhile
 */
export async function recoverFromExpiry(options: ExpiryOptions): Promise<boolean> {
  const { element, signal, renewInPlace, reload } = options
  if (!(await renewInPlace())) return signal.aborted
  if (await firstOf(['rendered'], COMEBACK_MS, element, signal)) return true
  const outcome = firstOf(['rendered', 'error'], RELOAD_MS, element, signal)
  reload()
  const name = await outcome
  return name === 'rendered' || name === 'closed'
}

/** The first of these events to arrive within the time, 'closed' when the signal ends the wait, else undefined. */
async function firstOf(names: string[], ms: number, element: EventTarget, signal: AbortSignal) {
  const ending = new AbortController()
  const event = new Promise<string>((resolve) => {
    for (const name of names) element.addEventListener(name, () => resolve(name), { signal: ending.signal })
  })
  const waiting = wait(ms, AbortSignal.any([signal, ending.signal]))
  const late = waiting.then(() => (signal.aborted ? 'closed' : undefined))
  return await Promise.race([event, late]).finally(() => ending.abort())
}

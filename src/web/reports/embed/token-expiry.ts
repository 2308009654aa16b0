import { wait } from '#contract/timing.ts'

interface ExpiryOptions {
  element: EventTarget
  /** Passes a new token to the frame; false when none is available. */
  renewInPlace: () => Promise<boolean>
  reload: () => void
  signal: AbortSignal
}

/** How long a frame may take to render again with its new token. */
export const RENDER_TIMEOUT_MS = 4_000
export const RELOAD_TIMEOUT_MS = 20_000

/**
 * Recovers from TokenExpired: passes a new token in place, and if the frame does not render again,
 * reloads the report inside it (after expiry a new token alone is not always enough).
 * @returns whether the report is back; true also when it was closed meanwhile
 */
export async function recoverFromExpiry(options: ExpiryOptions): Promise<boolean> {
  const { element, signal, renewInPlace, reload } = options
  if (!(await renewInPlace())) return signal.aborted
  if (await waitForFirst(['rendered'], RENDER_TIMEOUT_MS, element, signal)) return true
  const outcome = waitForFirst(['rendered', 'error'], RELOAD_TIMEOUT_MS, element, signal)
  reload()
  const name = await outcome
  return name === 'rendered' || name === 'closed'
}

/** Resolves with the first event within the time, 'closed' on abort, otherwise undefined. */
async function waitForFirst(names: string[], ms: number, element: EventTarget, signal: AbortSignal) {
  const cleanup = new AbortController()
  const event = new Promise<string>((resolve) => {
    for (const name of names) element.addEventListener(name, () => resolve(name), { signal: cleanup.signal })
  })
  const timeout = wait(ms, AbortSignal.any([signal, cleanup.signal]))
  const late = timeout.then(() => (signal.aborted ? 'closed' : undefined))
  return await Promise.race([event, late]).finally(() => cleanup.abort())
}

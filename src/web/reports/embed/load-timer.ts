/** SPEC is silent; a blocked frame sends no event at all, so waiting has to end. */
export const LOAD_TIMEOUT_MS = 45_000
const TICK_MS = 500

/**
 * Calls onTimeout after 45 s of waiting, counted only while `isCounting`: browsers do not render what is hidden.
 * @returns a function that stops it
 */
export function startLoadTimer(isCounting: () => boolean, onTimeout: () => void): () => void {
  let waitedMs = 0
  const timer = setInterval(() => {
    if (!isCounting()) return
    waitedMs += TICK_MS
    if (waitedMs < LOAD_TIMEOUT_MS) return
    clearInterval(timer)
    onTimeout()
  }, TICK_MS)
  return () => clearInterval(timer)
}

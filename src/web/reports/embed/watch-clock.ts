const TICK_MS = 1_000
/** Hidden pages tick once a minute at the slowest; a longer pause means that the machine slept. */
const SLEEP_MS = 90_000

/**
 * Calls onTick every second, and onWake whenever the machine may have slept or lost its connection:
 * the page becomes visible or is thawed, the network is back, or the wall clock has jumped.
 * @returns a function that ends it
 */
export function watchClock(onTick: () => void, onWake: () => void): () => void {
  const ending = new AbortController()
  let lastTick = Date.now()
  const timer = setInterval(() => {
    const hasSlept = Date.now() - lastTick > SLEEP_MS
    lastTick = Date.now()
    if (hasSlept) onWake()
    else onTick()
  }, TICK_MS)
  const onVisible = () => document.visibilityState === 'visible' && onWake()
  document.addEventListener('visibilitychange', onVisible, { signal: ending.signal })
  window.addEventListener('pageshow', onWake, { signal: ending.signal })
  window.addEventListener('online', onWake, { signal: ending.signal })
  return () => {
    clearInterval(timer)
    ending.abort()
  }
}

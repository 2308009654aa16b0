import { useEffect, useState } from 'react'

/** Counts down the whole seconds until an instant (ms since the epoch); 0 without one. */
export function useSecondsLeft(until: number | undefined): number {
  const [, tick] = useState(0)
  const secondsLeft = until === undefined ? 0 : Math.max(0, Math.ceil((until - Date.now()) / 1_000))
  const isCounting = secondsLeft > 0
  useEffect(() => {
    if (!isCounting) return
    const timer = setInterval(() => tick((count) => count + 1), 250)
    return () => clearInterval(timer)
  }, [isCounting])
  return secondsLeft
}

/** @returns minutes and seconds, '1:58' */
export function formatTimeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

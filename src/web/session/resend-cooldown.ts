import { useEffect, useState } from 'react'

/** SPEC section 9: the resend button rests for a minute after each mail. */
export const RESEND_COOLDOWN_SECONDS = 60
/** No rest that the server asks for is longer; guards against a clock that was set back. */
const LONGEST_SECONDS = 3_600

/** Whole seconds from `now` until `end`, both milliseconds since the epoch; 0 once it is over or makes no sense. */
export function secondsUntil(end: number, now: number): number {
  const seconds = Math.ceil((end - now) / 1_000)
  return seconds > 0 && seconds <= LONGEST_SECONDS ? seconds : 0
}

/** The countdown of one address; it survives a reload and is shared by the tabs of this browser. */
export function useResendCooldown(email: string) {
  const storageKey = `patio.resend-until.${email}`
  const [secondsLeft, setSecondsLeft] = useState(() => readSeconds(storageKey))
  const isCounting = secondsLeft > 0

  useEffect(() => {
    const update = () => setSecondsLeft(readSeconds(storageKey))
    update()
    if (!isCounting) return
    const timer = setInterval(update, 250)
    return () => clearInterval(timer)
  }, [storageKey, isCounting])

  function start(seconds: number): void {
    localStorage.setItem(storageKey, String(Date.now() + seconds * 1_000))
    setSecondsLeft(readSeconds(storageKey))
  }
  return { secondsLeft, start }
}

function readSeconds(storageKey: string): number {
  return secondsUntil(Number(localStorage.getItem(storageKey)), Date.now())
}

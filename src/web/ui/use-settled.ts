import { useEffect, useState } from 'react'

/** So long something stands still before the server is asked about it, so that not every tick and letter asks. */
const SETTLE_MS = 250

/** The value as it was when it last stood still. */
export function useSettled<T>(edit: T): T {
  const [settled, setSettled] = useState(edit)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(edit), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [edit])
  return settled
}

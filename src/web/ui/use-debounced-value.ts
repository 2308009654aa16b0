import { useEffect, useState } from 'react'

const DEBOUNCE_MS = 250

/** Returns the value debounced, so that not every letter causes a request. */
export function useDebouncedValue<T>(value: T): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}

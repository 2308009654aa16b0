import { useEffect, useState } from 'react'

const DEBOUNCE_MS = 250

/** Returns the value as it was when it last stayed unchanged for a while: the server is not asked at each letter. */
export function useDebouncedValue<T>(value: T): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}

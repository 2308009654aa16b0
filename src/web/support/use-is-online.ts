import { useSyncExternalStore } from 'react'

/** Whether the browser has a network; true says nothing of the portal. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine)
}

function subscribe(callback: () => void): () => void {
  const ending = new AbortController()
  window.addEventListener('online', callback, { signal: ending.signal })
  window.addEventListener('offline', callback, { signal: ending.signal })
  return () => ending.abort()
}

import { useSyncExternalStore } from 'react'

const getQuery = () => matchMedia('(max-width: 639px)')

function subscribe(onChange: () => void): () => void {
  const list = getQuery()
  list.addEventListener('change', onChange)
  return () => list.removeEventListener('change', onChange)
}

function subscribeToNetwork(onChange: () => void): () => void {
  const ending = new AbortController()
  window.addEventListener('online', onChange, { signal: ending.signal })
  window.addEventListener('offline', onChange, { signal: ending.signal })
  return () => ending.abort()
}

export const isPhone = () => getQuery().matches

/** Whether the window is as narrow as a phone's; false in a prerendered page. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribe, isPhone, () => false)
}

/** Whether the browser has a network; the portal may still be unreachable. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(
    subscribeToNetwork,
    () => navigator.onLine,
    () => true,
  )
}

import { useSyncExternalStore } from 'react'

const getQuery = () => matchMedia('(max-width: 639px)')

function subscribe(onChange: () => void): () => void {
  const list = getQuery()
  list.addEventListener('change', onChange)
  return () => list.removeEventListener('change', onChange)
}

export const isPhone = () => getQuery().matches

/** Whether the window is as narrow as a phone's; false in a prerendered page. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribe, isPhone, () => false)
}

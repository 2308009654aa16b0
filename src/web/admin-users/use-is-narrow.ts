import { useSyncExternalStore } from 'react'

// Tailwind's xl, from which on the table fits.
const wide = window.matchMedia('(min-width: 80rem)')

function subscribe(callback: () => void): () => void {
  wide.addEventListener('change', callback)
  return () => wide.removeEventListener('change', callback)
}

/** Whether the window is too narrow for a table, so that people are shown as cards. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => !wide.matches)
}

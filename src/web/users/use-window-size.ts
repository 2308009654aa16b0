import { useCallback, useSyncExternalStore } from 'react'

// Tailwind's xl, from which on the table fits.
const wide = window.matchMedia('(min-width: 80rem)')
// Lower, and what sticks would leave no place for rows: a phone held sideways, a laptop's window at 200 %.
const low = window.matchMedia('(max-height: 36rem)')

/** Whether the window is too narrow for a table, so that people are shown as cards. */
export function useIsNarrow(): boolean {
  return !useMatch(wide)
}

/** Whether the window is too low for a bar that stays in sight above the rows. */
export function useIsLow(): boolean {
  return useMatch(low)
}

function useMatch(query: MediaQueryList): boolean {
  const subscribe = useCallback(
    (callback: () => void) => {
      query.addEventListener('change', callback)
      return () => query.removeEventListener('change', callback)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => query.matches)
}

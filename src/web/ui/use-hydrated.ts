import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** Whether the page has taken over what was drawn when it was built: until then nothing that is pressed is heard. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}

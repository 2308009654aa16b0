import { type RefObject, useEffect, useRef } from 'react'
import type { ShownToast } from './toast-store.ts'

/**
 * F6 moves the focus to the newest notice and back again: the notices stand at the end of the page, too far to
 * tab to before they go. When the focused one goes, the focus returns to where it came from.
 */
export function useToastShortcut(
  section: RefObject<HTMLElement | null>,
  toasts: readonly ShownToast[],
): void {
  const cameFrom = useRef<HTMLElement>(null)

  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      const newest = section.current?.lastElementChild?.querySelector('button')
      if (event.key !== 'F6' || !newest) return
      event.preventDefault()
      if (section.current?.contains(document.activeElement)) return cameFrom.current?.focus()
      cameFrom.current = document.activeElement as HTMLElement | null
      newest.focus()
    }
    document.addEventListener('keydown', follow)
    return () => document.removeEventListener('keydown', follow)
  }, [section])

  // biome-ignore lint/correctness/useExhaustiveDependencies: it looks where the focus is after every change of the notices
  useEffect(() => {
    if (document.activeElement !== document.body) return
    cameFrom.current?.focus()
    cameFrom.current = null
  }, [toasts])
}

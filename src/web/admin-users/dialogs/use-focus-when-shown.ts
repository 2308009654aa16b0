import { type RefObject, useEffect } from 'react'

/**
 * Gives the focus to something that has just come into a dialog. A frame later, because for so long the dialog
 * keeps taking the focus itself after the button that had it has gone.
 * @param selector what takes it inside the element; the element itself unless said
 */
export function useFocusWhenShown(element: RefObject<HTMLElement | null>, selector?: string): void {
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const target = selector ? element.current?.querySelector<HTMLElement>(selector) : element.current
      target?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [element, selector])
}

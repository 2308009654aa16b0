import { type RefObject, useEffect } from 'react'

/**
 * Gives the focus to something that has just come into a dialog. In the frame after next, because until then
 * the dialog takes the focus itself when the button that had it has gone.
 * @param selector what takes it inside the element; the element itself unless said
 */
export function useFocusWhenShown(element: RefObject<HTMLElement | null>, selector?: string): void {
  useEffect(() => {
    const focus = () => {
      const target = selector ? element.current?.querySelector<HTMLElement>(selector) : element.current
      target?.focus()
    }
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(focus)
    })
    return () => cancelAnimationFrame(frame)
  }, [element, selector])
}

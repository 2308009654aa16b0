import { type RefObject, useEffect, useState } from 'react'

const DELAY_MS = 300

interface Bubble {
  text: string
  /** The right edge and the top of the bubble in the window, in pixels. */
  right: number
  top: number
}

/**
 * The short text under an icon that is pointed at or focused: one for the whole table, because one for each icon
 * of each row would make scrolling dear. It says what the icon's accessible name says.
 */
export function RowTooltip({ container }: { container: RefObject<HTMLElement | null> }) {
  const [bubble, setBubble] = useState<Bubble>()
  useEffect(() => {
    const controller = new AbortController()
    const options = { signal: controller.signal, capture: true, passive: true }
    let timer: ReturnType<typeof setTimeout>
    const hide = () => {
      clearTimeout(timer)
      setBubble(undefined)
    }
    const show = ({ type, target }: Event) => {
      hide()
      const icon = target instanceof Element ? target.closest('button[aria-label]') : null
      const isMeant = icon && (type === 'mouseover' || icon.matches(':focus-visible'))
      if (isMeant) timer = setTimeout(() => setBubble(bubbleOf(icon)), type === 'mouseover' ? DELAY_MS : 0)
    }
    for (const type of ['mouseover', 'focusin']) container.current?.addEventListener(type, show, options)
    for (const type of ['mouseleave', 'focusout', 'mousedown', 'keydown'])
      container.current?.addEventListener(type, hide, options)
    // What is pointed at moves away without the pointer.
    document.addEventListener('scroll', hide, options)
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [container])
  if (!bubble) return null
  return (
    <div
      aria-hidden="true"
      style={{ top: bubble.top, right: bubble.right }}
      className="pointer-events-none fixed z-20 rounded-md bg-ink px-2 py-1 text-canvas text-xs"
    >
      {bubble.text}
    </div>
  )
}

function bubbleOf(icon: Element): Bubble {
  const { right, bottom } = icon.getBoundingClientRect()
  return {
    text: icon.getAttribute('aria-label') ?? '',
    right: document.documentElement.clientWidth - right,
    top: bottom + 4,
  }
}

import { type RefObject, useLayoutEffect, useState } from 'react'

/** Where the table's rows begin and what covers them, in pixels. */
export interface Place {
  /** From the top of what scrolls to the first row. */
  start: number
  /** Height of the bar that sticks above the head; none in a low window, where it scrolls away. */
  barHeight: number
}

/** Follows the place of the table in the page: what stands above may grow, and the window may change. */
export function usePlace(body: RefObject<HTMLElement | null>, bar: RefObject<HTMLElement | null>): Place {
  const [place, setPlace] = useState<Place>({ start: 0, barHeight: 0 })
  useLayoutEffect(() => {
    const scroller = scrollerOf(body.current)
    if (!body.current || !scroller) return
    const measure = () => {
      if (!body.current) return
      const top = body.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top
      const next = { start: Math.round(top + scroller.scrollTop), barHeight: stickyHeight(bar.current) }
      setPlace((last) => (last.start === next.start && last.barHeight === next.barHeight ? last : next))
    }
    measure()
    const observer = new ResizeObserver(measure)
    for (const element of [scroller, ...scroller.children, bar.current])
      if (element) observer.observe(element)
    return () => observer.disconnect()
  }, [body, bar])
  return place
}

function stickyHeight(bar: HTMLElement | null): number {
  return bar && getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0
}

/** What scrolls the page: the frame's main element (layout/signed-in-layout.tsx). */
export function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  return element?.closest('main') ?? null
}

import { type RefObject, useLayoutEffect, useState } from 'react'

/** The part of the signed-in screens that scrolls. */
export function mainElement(): HTMLElement | null {
  return document.getElementById('conteudo')
}

/** From the top edge of what scrolls, as it is now, to the top of something in it, in pixels. */
export function distanceFromTop(element: HTMLElement): number {
  return element.getBoundingClientRect().top - (mainElement()?.getBoundingClientRect().top ?? 0)
}

/** How far down a screen something begins, in pixels. It is measured anew when the window or the screen changes its size. */
export function useOffsetInMain(element: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const main = mainElement()
    if (!main) return
    const measure = () => {
      if (element.current) setOffset(Math.round(distanceFromTop(element.current) + main.scrollTop))
    }
    measure()
    const observer = new ResizeObserver(measure)
    for (const each of [main, ...main.children]) observer.observe(each)
    return () => observer.disconnect()
  }, [element])
  return offset
}

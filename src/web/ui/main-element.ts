import { type RefObject, useLayoutEffect, useState } from 'react'

/** Returns the scroll container of the signed-in screens. */
export function getMainElement(): HTMLElement | null {
  return document.getElementById('conteudo')
}

/** Returns the distance in pixels from the top of the visible area to the top of an element. */
export function getDistanceFromTop(element: HTMLElement): number {
  return element.getBoundingClientRect().top - (getMainElement()?.getBoundingClientRect().top ?? 0)
}

/** Returns an element's offset in the scroll container in pixels, updated on every resize. */
export function useOffsetInMain(element: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const main = getMainElement()
    if (!main) return
    const measure = () => {
      if (element.current) setOffset(Math.round(getDistanceFromTop(element.current) + main.scrollTop))
    }
    measure()
    const observer = new ResizeObserver(measure)
    for (const each of [main, ...main.children]) observer.observe(each)
    return () => observer.disconnect()
  }, [element])
  return offset
}

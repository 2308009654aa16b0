import { type RefObject, useEffect, useRef } from 'react'
import { scrollerOf } from './use-place.ts'

/** Another filter or order is another list, to be read from its beginning: the card's top comes back into sight. */
export function useTopOnChange(card: RefObject<HTMLElement | null>, key: string): void {
  const last = useRef(key)
  useEffect(() => {
    if (last.current === key) return
    last.current = key
    const scroller = scrollerOf(card.current)
    if (!card.current || !scroller) return
    const distance = card.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top
    if (distance < 0) scroller.scrollTop += distance
  }, [card, key])
}

import { useRouter } from '@tanstack/react-router'
import { type RefObject, useEffect } from 'react'
import { scrollerOf } from './use-place.ts'

/** How far down the page was left, by the entry of the browser's history. */
const tops = new Map<string, number>()

/** Whoever comes back to the table by 'Voltar' finds it where it was left; a new visit starts at the top. */
export function useKeptScroll(card: RefObject<HTMLElement | null>): void {
  const { history } = useRouter()
  // After the effects of all that stands above, which bring a chosen tab into sight; the rows have their height by now.
  useEffect(() => {
    const scroller = scrollerOf(card.current)
    if (!scroller) return
    const keyOfEntry = () => history.location.state.__TSR_key ?? ''
    let key = keyOfEntry()
    scroller.scrollTop = tops.get(key) ?? scroller.scrollTop
    return history.subscribe(() => {
      tops.set(key, scroller.scrollTop)
      key = keyOfEntry()
    })
  }, [card, history])
}

import { useRouter } from '@tanstack/react-router'
import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import type { ManagedProfile } from '#contract/users.ts'

type ElementRef = RefObject<HTMLElement | null>

const HEAD_PX = 46
/** The bar with the buttons for those selected, on a narrow window. */
const BOTTOM_PX = 124
const OVERSCAN = 4
/** The height of a row of the table and the likely one of a card, in rem. */
const ROW_REM = 3
const CARD_REM = 9

/**
 * The rows near the visible part of the page, and their places. The page itself scrolls, not the table.
 * @param bar what sticks above the head
 * @param profiles those who have been read: a card's height is the person's, wherever the order puts it
 * @param areCards rows are cards, each of which says how high it is
 * @returns the rows to draw, below each other from `above` on; one that is `apart` from the others has a place of its own.
 * Both are pixels from the top of the table's body, and `barHeight` is in pixels too.
 */
export function useRows(
  body: ElementRef,
  bar: ElementRef,
  count: number,
  profiles: readonly ManagedProfile[],
  areCards: boolean,
) {
  const { start, barHeight } = usePlace(body, bar)
  // The row that has the focus stays, however far away it is scrolled; else the focus would be lost.
  const [focused, setFocused] = useState(-1)
  const isPrinting = useIsPrinting()
  const rowPx =
    (areCards ? CARD_REM : ROW_REM) *
    (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16)
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count,
    getScrollElement: () => scrollerOf(body.current),
    estimateSize: () => rowPx,
    getItemKey: useCallback((index: number) => profiles[index]?.user_id ?? index, [profiles]),
    overscan: OVERSCAN,
    scrollMargin: start,
    scrollPaddingStart: barHeight + HEAD_PX,
    // The page may have been scrolled before the table is there.
    initialOffset: () => scrollerOf(body.current)?.scrollTop ?? 0,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    rangeExtractor: (range) => {
      const indexes = isPrinting ? [...Array(range.count).keys()] : defaultRangeExtractor(range)
      if (focused < 0 || focused >= range.count || indexes.includes(focused)) return indexes
      return [...indexes, focused].sort((a, b) => a - b)
    },
  })
  const items = virtualizer.getVirtualItems()
  const rows = items.map(({ index, start: top }, at) => {
    const isApart =
      index === focused && items[at - 1]?.index !== index - 1 && items[at + 1]?.index !== index + 1
    return { index, apart: isApart ? top - start : undefined }
  })
  const above = (items[rows.findIndex(({ apart }) => apart === undefined)]?.start ?? start) - start
  return { virtualizer, rows, above, barHeight, isPrinting, setFocused }
}

/** On paper stands everybody who has been read, in sight or not. */
function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false)
  useEffect(() => {
    const ending = new AbortController()
    const follow = ({ type }: Event) => flushSync(() => setIsPrinting(type === 'beforeprint'))
    for (const name of ['beforeprint', 'afterprint']) window.addEventListener(name, follow, ending)
    return () => ending.abort()
  }, [])
  return isPrinting
}

/** Follows the place of the table in the page: what stands above may grow, and the window may change. */
function usePlace(body: ElementRef, bar: ElementRef) {
  const [start, setStart] = useState(0)
  const [barHeight, setBarHeight] = useState(0)
  useLayoutEffect(() => {
    const scroller = scrollerOf(body.current)
    if (!scroller) return
    const measure = () => {
      if (!body.current) return
      setStart(Math.round(distanceBetween(scroller, body.current) + scroller.scrollTop))
      // In a low window the bar scrolls away.
      const isSticky = bar.current && getComputedStyle(bar.current).position === 'sticky'
      const height = (isSticky && bar.current?.offsetHeight) || 0
      setBarHeight(height)
      // What takes the focus comes to rest between what sticks at the top and what sticks at the bottom.
      scroller.style.scrollPaddingBlock = `${height + HEAD_PX}px ${BOTTOM_PX}px`
    }
    measure()
    const observer = new ResizeObserver(measure)
    for (const element of [scroller, ...scroller.children, bar.current])
      if (element) observer.observe(element)
    return () => observer.disconnect()
  }, [body, bar])
  return { start, barHeight }
}

/** Moves the focus from a control of one row to the same one of another: arrow keys, Home and End. */
export function useRowKeys(body: ElementRef, virtualizer: Virtualizer<HTMLElement, HTMLElement>) {
  const wanted = useRef<string>(undefined)
  const focusWanted = () => {
    const target = wanted.current && body.current?.querySelector<HTMLElement>(wanted.current)
    if (!target) return
    wanted.current = undefined
    target.focus({ preventScroll: true })
  }
  // After every drawing: the row may have to be scrolled to, or read, before it can take the focus.
  useLayoutEffect(focusWanted)

  return (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    const row = target.closest<HTMLElement>('[data-index]')
    if (!target.dataset.control || !row || event.ctrlKey || event.metaKey || event.altKey) return
    const [current, last] = [Number(row.dataset.index), virtualizer.options.count - 1]
    const targets: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: last,
    }
    const index = targets[event.key] ?? -1
    if (index < 0 || index > last) return
    event.preventDefault()
    wanted.current = `[data-index="${index}"] [data-control="${target.dataset.control}"]`
    virtualizer.scrollToIndex(index, { align: 'auto' })
    focusWanted()
  }
}

/** How far down the page was left, by the entry of the browser's history. */
const keptTops = new Map<string, number>()

/**
 * Whoever comes back to the table by 'Voltar' finds it where it was left; a new visit starts at the top. Another filter
 * or order is another list, to be read from its beginning: the card's top comes back into sight.
 */
export function useScrollPlace(card: ElementRef, viewKey: string): void {
  const { history } = useRouter()
  // After the effects of all that stands above, which bring a chosen tab into sight; the rows have their height by now.
  useEffect(() => {
    const scroller = scrollerOf(card.current)
    if (!scroller) return
    const keyOfEntry = () => history.location.state.__TSR_key ?? ''
    let key = keyOfEntry()
    scroller.scrollTop = keptTops.get(key) ?? scroller.scrollTop
    return history.subscribe(() => {
      keptTops.set(key, scroller.scrollTop)
      key = keyOfEntry()
    })
  }, [card, history])

  const lastKey = useRef(viewKey)
  useEffect(() => {
    const scroller = scrollerOf(card.current)
    if (lastKey.current === viewKey || !card.current || !scroller) return
    lastKey.current = viewKey
    scroller.scrollTop += Math.min(0, distanceBetween(scroller, card.current))
  }, [card, viewKey])
}

/** From the top of what scrolls, as it is now, to the top of something in it, in pixels. */
function distanceBetween(scroller: HTMLElement, element: HTMLElement): number {
  return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top
}

/** What scrolls the page: the frame's main element. */
function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  return element?.closest('main') ?? null
}

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
import { distanceFromTop, mainElement, useOffsetInMain } from '#web/ui/main-element.ts'

type ElementRef = RefObject<HTMLElement | null>

const HEAD_PX = 46
/** The bar with the buttons for those selected, on a narrow window. */
const BOTTOM_PX = 124
const OVERSCAN = 4
/** The height of a row of the table and the likely one of a card, in rem. */
const ROW_REM = 3
const CARD_REM = 9

/**
 * The rows near the visible part of the page. The page itself scrolls, not the table.
 * @param barHeight pixels that are taken by what sticks above the head
 * @param profiles those who have been read: a card's height is the person's, wherever the order puts it
 * @param areCards rows are cards, each of which says how high it is
 * @returns the rows to draw, below each other from `above` on; one that is far from the others has a `top` of its own.
 * Both are pixels from the top of the table's body.
 */
export function useRows(
  body: ElementRef,
  barHeight: number,
  count: number,
  profiles: readonly ManagedProfile[],
  areCards: boolean,
) {
  const start = useOffsetInMain(body)
  const [focused, setFocused] = useState(-1)
  const isPrinting = useIsPrinting()
  const rowPx =
    (areCards ? CARD_REM : ROW_REM) *
    (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16)
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count,
    getScrollElement: mainElement,
    estimateSize: () => rowPx,
    getItemKey: useCallback((index: number) => profiles[index]?.user_id ?? index, [profiles]),
    overscan: OVERSCAN,
    scrollMargin: start,
    scrollPaddingStart: barHeight + HEAD_PX,
    // The page may have been scrolled before the table is there.
    initialOffset: () => mainElement()?.scrollTop ?? 0,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    rangeExtractor: (range) => {
      if (isPrinting) return [...Array(range.count).keys()]
      const indexes = defaultRangeExtractor(range)
      // The row that has the focus stays, however far away it is scrolled; else the focus would be lost.
      const isDrawn = focused < 0 || focused >= range.count || indexes.includes(focused)
      return isDrawn ? indexes : [...indexes, focused].sort((a, b) => a - b)
    },
  })
  const items = virtualizer.getVirtualItems()
  // A place of its own for every row would double the longest task while scrolling: 83 instead of 38 ms.
  const rows = items.map(({ index, start: top }, at) => {
    const isApart =
      index === focused && items[at - 1]?.index !== index - 1 && items[at + 1]?.index !== index + 1
    return { index, top: isApart ? top - start : undefined }
  })
  const above = (items[rows.findIndex(({ top }) => top === undefined)]?.start ?? start) - start
  return { virtualizer, rows, above, isPrinting, setFocused }
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

/** How high the bar above the head is, in pixels; nothing in a low window, where it scrolls away. */
export function useBarHeight(bar: ElementRef): number {
  const [barHeight, setBarHeight] = useState(0)
  useLayoutEffect(() => {
    const main = mainElement()
    if (!main || !bar.current) return
    const measure = () => {
      const isSticky = bar.current && getComputedStyle(bar.current).position === 'sticky'
      const height = (isSticky && bar.current?.offsetHeight) || 0
      setBarHeight(height)
      // What takes the focus comes to rest between what sticks at the top and what sticks at the bottom.
      main.style.scrollPaddingBlock = `${height + HEAD_PX}px ${BOTTOM_PX}px`
    }
    measure()
    const observer = new ResizeObserver(measure)
    for (const element of [main, bar.current]) observer.observe(element)
    return () => observer.disconnect()
  }, [bar])
  return barHeight
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
    const main = mainElement()
    if (!main) return
    const keyOfEntry = () => history.location.state.__TSR_key ?? ''
    let key = keyOfEntry()
    main.scrollTop = keptTops.get(key) ?? main.scrollTop
    return history.subscribe(() => {
      keptTops.set(key, main.scrollTop)
      key = keyOfEntry()
    })
  }, [history])

  const lastKey = useRef(viewKey)
  useEffect(() => {
    if (lastKey.current === viewKey || !card.current) return
    lastKey.current = viewKey
    mainElement()?.scrollBy(0, Math.min(0, distanceFromTop(card.current)))
  }, [card, viewKey])
}

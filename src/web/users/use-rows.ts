import { useRouter } from '@tanstack/react-router'
import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import type { ManagedProfile } from '#contract/users.ts'
import { getDistanceFromTop, getMainElement, useOffsetInMain } from '#web/ui/main-element.ts'

type ElementRef = RefObject<HTMLElement | null>

const HEAD_PX = 46
/** The height of the bulk action bar on a narrow window. */
const BOTTOM_PX = 124
const OVERSCAN = 4
/** The height of a table row and the estimated height of a card, in rem. */
const ROW_REM = 3
const CARD_REM = 9

/**
 * Virtualizes the rows; the page scrolls, not the table. Card heights are cached per person.
 * @param barHeight of the sticky bar above the head, in pixels
 * @param areCards rows are cards, which are measured
 * @returns rows stacked from `above`; a detached row has its own `top`, both in pixels of the body
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
  const rowPx = (areCards ? CARD_REM : ROW_REM) * useRemPx(profiles)
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count,
    getScrollElement: getMainElement,
    estimateSize: () => rowPx,
    getItemKey: useCallback((index: number) => profiles[index]?.user_id ?? index, [profiles]),
    overscan: OVERSCAN,
    scrollMargin: start,
    scrollPaddingStart: barHeight + HEAD_PX,
    // The page may have been scrolled before the table mounts.
    initialOffset: () => getMainElement()?.scrollTop ?? 0,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    rangeExtractor: (range) => {
      if (isPrinting) return [...Array(range.count).keys()]
      const indexes = defaultRangeExtractor(range)
      // The focused row stays mounted however far it is scrolled away; otherwise the focus would be lost.
      const isDrawn = focused < 0 || focused >= range.count || indexes.includes(focused)
      return isDrawn ? indexes : [...indexes, focused].sort((a, b) => a - b)
    },
  })
  const items = virtualizer.getVirtualItems()
  // Positioning every row would double the longest task while scrolling: 83 instead of 38 ms.
  const rows = items.map(({ index, start: top }, at) => {
    const isDetached =
      index === focused && items[at - 1]?.index !== index - 1 && items[at + 1]?.index !== index + 1
    return { index, top: isDetached ? top - start : undefined }
  })
  const above = (items[rows.findIndex(({ top }) => top === undefined)]?.start ?? start) - start
  return { virtualizer, rows, above, isPrinting, setFocused }
}

/** Returns the root's font size in pixels, read with new rows only: reading it styles the page. */
function useRemPx(profiles: readonly ManagedProfile[]): number {
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again with new rows
  return useMemo(
    () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16,
    [profiles],
  )
}

/** Printing renders all loaded rows, visible or not. */
function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false)
  useEffect(() => {
    const controller = new AbortController()
    const onPrint = ({ type }: Event) => flushSync(() => setIsPrinting(type === 'beforeprint'))
    for (const name of ['beforeprint', 'afterprint']) window.addEventListener(name, onPrint, controller)
    return () => controller.abort()
  }, [])
  return isPrinting
}

/** Measures the sticky bar in pixels; 0 in a low window, where it scrolls away. */
export function useBarHeight(bar: ElementRef): number {
  const [barHeight, setBarHeight] = useState(0)
  useLayoutEffect(() => {
    const main = getMainElement()
    if (!main || !bar.current) return
    const measure = () => {
      const isSticky = bar.current && getComputedStyle(bar.current).position === 'sticky'
      const height = (isSticky && bar.current?.offsetHeight) || 0
      setBarHeight(height)
      // Focused elements must not be scrolled under the sticky bars at the top and the bottom.
      main.style.scrollPaddingBlock = `${height + HEAD_PX}px ${BOTTOM_PX}px`
    }
    measure()
    const observer = new ResizeObserver(measure)
    for (const element of [main, bar.current]) observer.observe(element)
    return () => observer.disconnect()
  }, [bar])
  return barHeight
}

/** Moves the focus to the same control of another row: arrow keys, Home and End. */
export function useRowKeyboard(body: ElementRef, virtualizer: Virtualizer<HTMLElement, HTMLElement>) {
  const selector = useRef<string>(undefined)
  const focusTarget = () => {
    const target = selector.current && body.current?.querySelector<HTMLElement>(selector.current)
    if (!target) return
    selector.current = undefined
    target.focus({ preventScroll: true })
  }
  // After every render: the row may have to be scrolled to, or loaded, before it can be focused.
  useLayoutEffect(focusTarget)

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
    selector.current = `[data-index="${index}"] [data-control="${target.dataset.control}"]`
    virtualizer.scrollToIndex(index, { align: 'auto' })
    focusTarget()
  }
}

/** Scroll positions by history entry. */
const scrollTops = new Map<string, number>()

/**
 * Restores the scroll position when going back to the table; a new visit starts at the top.
 * A new filter or order scrolls to the top of the card.
 */
export function useScrollRestoration(card: ElementRef, viewKey: string): void {
  const { history } = useRouter()
  // After the effects above, which scroll a chosen tab into view; the rows have their height by now.
  useEffect(() => {
    const main = getMainElement()
    if (!main) return
    const getEntryKey = () => history.location.state.__TSR_key ?? ''
    let key = getEntryKey()
    main.scrollTop = scrollTops.get(key) ?? main.scrollTop
    return history.subscribe(() => {
      scrollTops.set(key, main.scrollTop)
      key = getEntryKey()
    })
  }, [history])

  const lastKey = useRef(viewKey)
  useEffect(() => {
    if (lastKey.current === viewKey || !card.current) return
    lastKey.current = viewKey
    getMainElement()?.scrollBy(0, Math.min(0, getDistanceFromTop(card.current)))
  }, [card, viewKey])
}

import { useRouter } from '@tanstack/react-router'
import { defaultRangeExtractor, type Range, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

const HEAD_PX = 46
/** The bar with the buttons for those selected, on a narrow window. */
const BOTTOM_PX = 72
const OVERSCAN = 4

interface RowsOptions {
  body: RefObject<HTMLElement | null>
  bar: RefObject<HTMLElement | null>
  count: number
  /** Likely height of a row in rem. */
  rowRem: number
  /** Each row says how high it is. */
  isMeasured: boolean
}

/** The rows near the visible part of the page, and their places. The page itself scrolls, not the table. */
export function useRows({ body, bar, count, rowRem, isMeasured }: RowsOptions) {
  const { start, barHeight } = usePlace(body, bar)
  // The row that has the focus stays, however far away it is scrolled; else the focus would be lost.
  const [focused, setFocused] = useState(-1)
  const rowPx = rowRem * rootFontPx()
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count,
    getScrollElement: () => scrollerOf(body.current),
    estimateSize: useCallback(() => rowPx, [rowPx]),
    overscan: OVERSCAN,
    scrollMargin: start,
    scrollPaddingStart: barHeight + HEAD_PX,
    // The page may have been scrolled before the table is there.
    initialOffset: () => scrollerOf(body.current)?.scrollTop ?? 0,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    rangeExtractor: useCallback(
      (range: Range) => withIndex(defaultRangeExtractor(range), focused, range.count),
      [focused],
    ),
  })
  useScrollPadding(body, barHeight + HEAD_PX)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other sizes make what was measured void
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx, isMeasured])
  return { virtualizer, start, barHeight, setFocused }
}

/** What takes the focus comes to rest between what sticks at the top and what sticks at the bottom. */
function useScrollPadding(body: RefObject<HTMLElement | null>, top: number): void {
  useEffect(() => {
    const scroller = scrollerOf(body.current)
    if (!scroller) return
    scroller.style.scrollPaddingBlock = `${top}px ${BOTTOM_PX}px`
    return () => {
      scroller.style.scrollPaddingBlock = ''
    }
  }, [body, top])
}

function withIndex(indexes: number[], index: number, count: number): number[] {
  if (index < 0 || index >= count || indexes.includes(index)) return indexes
  return [...indexes, index].sort((a, b) => a - b)
}

function rootFontPx(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
}

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

/** Moves the focus from a control of one row to the same one of another: arrow keys, Home and End. */
export function useRowKeys(
  body: RefObject<HTMLElement | null>,
  virtualizer: Virtualizer<HTMLElement, HTMLElement>,
) {
  const wanted = useRef<{ index: number; control: string }>(undefined)

  // After every drawing: the row may have to be scrolled to, or read, before it can take the focus.
  useLayoutEffect(() => {
    if (!wanted.current) return
    const { index, control } = wanted.current
    const target = body.current?.querySelector<HTMLElement>(
      `[data-index="${index}"] [data-control="${control}"]`,
    )
    if (!target) return
    wanted.current = undefined
    target.focus({ preventScroll: true })
  })

  return (event: KeyboardEvent<HTMLElement>) => {
    const control = (event.target as HTMLElement).dataset.control
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
    if (!control || !row || event.ctrlKey || event.metaKey || event.altKey) return
    const { count } = virtualizer.options
    const index = targetOf(event.key, Number(row.dataset.index), count)
    if (index === undefined || index < 0 || index >= count) return
    event.preventDefault()
    wanted.current = { index, control }
    const there = body.current?.querySelector<HTMLElement>(
      `[data-index="${index}"] [data-control="${control}"]`,
    )
    virtualizer.scrollToIndex(index, { align: 'auto' })
    there?.focus({ preventScroll: true })
    if (there) wanted.current = undefined
  }
}

function targetOf(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return index + 1
  if (key === 'ArrowUp') return index - 1
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

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

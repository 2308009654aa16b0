import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useState } from 'react'
import { scrollerOf, usePlace } from './use-place.ts'

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

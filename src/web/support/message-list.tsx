import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { SupportMessage } from '#contract/support.ts'
import type { InboxRow } from './inbox-pages.ts'
import { MessageCard } from './message-card.tsx'

/** A card with a short message, in pixels; each is measured once it is drawn. */
const ESTIMATED_HEIGHT = 190
const GAP = 12
/** The next part is asked for when this many cards are left below. */
const LOAD_AHEAD = 15

interface MessageListProps {
  rows: readonly InboxRow[]
  total: number
  /** Called with the first and last page that are on the screen. */
  onLook: (first: number, last: number) => void
  onNearEnd: () => void
  onMarkRead: (message: SupportMessage) => void
  onDelete: (message: SupportMessage) => void
}

/** The cards, of which only those on the screen are in the page; they scroll with the screen's main part. */
export function MessageList({ rows, total, onLook, onNearEnd, onMarkRead, onDelete }: MessageListProps) {
  const list = useRef<HTMLUListElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const margin = useOffsetInMain(list)
  const virtualizer = useCards(rows, margin)
  const items = virtualizer.getVirtualItems()
  useSight(rows, items, { onLook, onNearEnd })
  return (
    <ul ref={list} aria-label="Mensagens" className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {items.map(({ index, key, start }) => {
        const message = rows[index]?.message
        if (!message) return null
        return (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={total}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            <MessageCard
              message={message}
              isOpen={open.has(message.id)}
              onToggle={() => setOpen((current) => toggled(current, message.id))}
              onMarkRead={() => onMarkRead(message)}
              onDelete={() => onDelete(message)}
            />
          </li>
        )
      })}
    </ul>
  )
}

/** Which cards are on the screen and where; `margin` is how far below the top of the scrolling part they begin. */
function useCards(rows: readonly InboxRow[], margin: number) {
  const scrolled = mainElement()?.scrollTop ?? 0
  return useVirtualizer({
    count: rows.length,
    getScrollElement: mainElement,
    estimateSize: () => ESTIMATED_HEIGHT,
    getItemKey: (index) => rows[index]?.message.id ?? index,
    gap: GAP,
    overscan: 4,
    scrollMargin: margin,
    // Whoever reads further down is not moved by what comes in above; at the top new cards are seen.
    anchorTo: scrolled > margin ? 'end' : 'start',
  })
}

/** Tells which pages are looked at, and when the end of what is loaded comes near. */
function useSight(
  rows: readonly InboxRow[],
  items: readonly VirtualItem[],
  { onLook, onNearEnd }: Pick<MessageListProps, 'onLook' | 'onNearEnd'>,
): void {
  const lastIndex = items.at(-1)?.index ?? 0
  const firstPage = rows[items[0]?.index ?? 0]?.page ?? 0
  const lastPage = rows[lastIndex]?.page ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: called when another page comes into sight
  useEffect(() => onLook(firstPage, lastPage), [firstPage, lastPage])
  const isNearEnd = lastIndex >= rows.length - LOAD_AHEAD
  // biome-ignore lint/correctness/useExhaustiveDependencies: and again for each part that is still too short
  useEffect(() => {
    if (isNearEnd) onNearEnd()
  }, [isNearEnd, rows.length])
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}

/** The part of the signed-in screens that scrolls. */
function mainElement(): HTMLElement | null {
  return document.getElementById('conteudo')
}

/** How far below the top of the scrolling part the list begins, in pixels. */
function useOffsetInMain(list: React.RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const main = mainElement()
    if (!main) return
    const measure = () => {
      const distance = (list.current?.getBoundingClientRect().top ?? 0) - main.getBoundingClientRect().top
      setOffset(distance + main.scrollTop)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(main)
    // What stands above the list may grow.
    if (main.firstElementChild) observer.observe(main.firstElementChild)
    measure()
    return () => observer.disconnect()
  }, [list])
  return offset
}

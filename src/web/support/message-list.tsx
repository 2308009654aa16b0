import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import type { SupportMessage } from '#contract/support.ts'
import { toggleValue } from '#web/ui/choices.tsx'
import { getMainElement, useOffsetInMain } from '#web/ui/main-element.ts'
import { MessageCard } from './message-card.tsx'

/** Estimated height of a card in pixels, until it is measured. */
const ESTIMATED_HEIGHT = 190
const GAP = 12
/** Loads the next page when this many cards remain below. */
const LOAD_AHEAD = 15

interface MessageListProps {
  messages: readonly SupportMessage[]
  /** The number of messages, loaded or not. */
  total: number
  loadMore: (() => void) | undefined
  onRead: (index: number) => void
  onDelete: (message: SupportMessage) => void
}

/** A virtualized list of message cards in the main scroll container. */
export function MessageList({ messages, total, loadMore, onRead, onDelete }: MessageListProps) {
  const list = useRef<HTMLUListElement>(null)
  const [open, setOpen] = useState<readonly string[]>([])
  const margin = useOffsetInMain(list)
  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: getMainElement,
    estimateSize: () => ESTIMATED_HEIGHT,
    getItemKey: (index) => messages[index]?.id ?? index,
    gap: GAP,
    overscan: 4,
    scrollMargin: margin,
    // Keeps the scroll position when messages arrive above, except at the top.
    anchorTo: (getMainElement()?.scrollTop ?? 0) > margin ? 'end' : 'start',
  })
  const items = virtualizer.getVirtualItems()
  const isNearEnd = (items.at(-1)?.index ?? 0) >= messages.length - LOAD_AHEAD
  useEffect(() => {
    if (isNearEnd) loadMore?.()
  }, [isNearEnd, loadMore])
  return (
    <ul ref={list} aria-label="Mensagens" className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {items.map(({ index, key, start }) => {
        const message = messages[index]
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
              isOpen={open.includes(message.id)}
              onToggle={() => setOpen(toggleValue(open, message.id))}
              onRead={() => onRead(index)}
              onDelete={() => onDelete(message)}
            />
          </li>
        )
      })}
    </ul>
  )
}

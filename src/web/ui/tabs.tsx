import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

interface TabListProps {
  label: string
  /** Prefix of the ids that tie tabs and panels together; unique in the page. */
  idPrefix: string
  tabs: readonly { id: string; label: ReactNode }[]
  selectedId: string | undefined
  onSelect: (id: string) => void
  className?: string
}

/** The id of a tab's button; labels reach no id, so that spaces and accents do no harm. */
function tabId(idPrefix: string, id: string): string {
  return `${idPrefix}-tab-${encodeURIComponent(id)}`
}

/** What ties a panel to its tab; spread on the panel's element. */
export function tabPanelProps(idPrefix: string, id: string) {
  return {
    role: 'tabpanel',
    id: `${idPrefix}-panel-${encodeURIComponent(id)}`,
    'aria-labelledby': tabId(idPrefix, id),
  } as const
}

/**
 * A row of tabs, centred, scrolling sideways when it does not fit and fading out where there are more (WAI-ARIA
 * tabs pattern). Arrow keys, Home
 * and End move the focus; Enter, Space or a click selects, since a panel may be expensive to open.
 */
export function TabList({ label, idPrefix, tabs, selectedId, onSelect, className }: TabListProps) {
  const list = useRef<HTMLDivElement>(null)
  const { box, hasBefore, hasAfter } = useHiddenEnds()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected tab is found in the page
  useEffect(() => {
    const [frame, selected] = [
      list.current?.parentElement,
      list.current?.querySelector<HTMLElement>('[aria-selected="true"]'),
    ]
    if (!frame || !selected) return
    // Sideways alone: the page stays where it is. Past where the row fades out, as the focus goes.
    const [outer, inner] = [frame.getBoundingClientRect(), selected.getBoundingClientRect()]
    const margin = Number.parseFloat(getComputedStyle(selected).scrollMarginLeft)
    frame.scrollLeft +=
      Math.min(0, inner.left - margin - outer.left) + Math.max(0, inner.right + margin - outer.right)
  }, [selectedId])

  function moveFocus(event: KeyboardEvent): void {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])]
    const current = buttons.indexOf(document.activeElement as HTMLElement)
    const next = nextIndex(event.key, current, buttons.length)
    if (next === undefined) return
    event.preventDefault()
    buttons[next]?.focus()
  }

  return (
    <div
      ref={box}
      className={classNames(
        'overflow-x-auto [scrollbar-width:none]',
        (hasBefore || hasAfter) && 'fade-ends',
        hasBefore && 'fade-start',
        hasAfter && 'fade-end',
        className,
      )}
    >
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={moveFocus}
        className="mx-auto flex w-max gap-1 px-3"
      >
        {tabs.map((tab) => {
          const isSelected = tab.id === selectedId
          return (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={tabId(idPrefix, tab.id)}
              aria-selected={isSelected}
              aria-controls={isSelected ? tabPanelProps(idPrefix, tab.id).id : undefined}
              tabIndex={isSelected ? 0 : -1}
              onClick={() => onSelect(tab.id)}
              className={classNames(
                // Past where the row fades out.
                'scroll-mx-12 -outline-offset-2 h-11 shrink-0 whitespace-nowrap border-b-2 px-3 font-medium text-sm transition-colors',
                isSelected
                  ? 'border-brand-strong text-brand-strong'
                  : 'border-transparent text-muted hover:border-line-strong hover:text-ink',
              )}
            >
              {tab.label}
            </button>
          )
        })}
      </div>
    </div>
  )
}

/** At which ends of a box that scrolls sideways there is more than is seen. */
function useHiddenEnds() {
  const box = useRef<HTMLDivElement>(null)
  const [ends, setEnds] = useState({ hasBefore: false, hasAfter: false })
  useEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => {
      const left = element.scrollWidth - element.clientWidth - element.scrollLeft
      // Zoomed pages round.
      const found = { hasBefore: element.scrollLeft > 1, hasAfter: left > 1 }
      setEnds((known) =>
        known.hasBefore === found.hasBefore && known.hasAfter === found.hasAfter ? known : found,
      )
    }
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    if (element.firstElementChild) sizes.observe(element.firstElementChild)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])
  return { box, ...ends }
}

/** Where a key moves the focus in a row of `count` tabs, round the ends; undefined for other keys. */
function nextIndex(key: string, current: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (current + 1) % count
  if (key === 'ArrowLeft') return (current - 1 + count) % count
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

/** Every tab that was ever selected, for panels that stay mounted. */
export function useVisited<T extends string>(selected: T | undefined): readonly T[] {
  const [visited, setVisited] = useState<readonly T[]>([])
  if (selected === undefined || visited.includes(selected)) return visited
  const next = [...visited, selected]
  setVisited(next)
  return next
}

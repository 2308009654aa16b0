import { Tabs as Primitive } from '@base-ui/react/tabs'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

type TabsProps = Omit<ComponentProps<typeof Primitive.Root>, 'value' | 'onValueChange' | 'onSelect'> & {
  selectedId: string | undefined
  onSelect: (id: string) => void
}

/** The root of a TabList and its TabPanels. */
export function Tabs({ selectedId, onSelect, ...rest }: TabsProps) {
  return <Primitive.Root {...rest} value={selectedId ?? null} onValueChange={onSelect} />
}

interface TabListProps {
  label: string
  tabs: readonly { id: string; label: ReactNode }[]
  selectedId: string | undefined
  className?: string
}

/**
 * A centered row of tabs that scrolls horizontally and fades at overflowing edges. Arrow keys, Home
 * and End move the focus; Enter, Space or a click selects, since opening a panel may be expensive.
 */
export function TabList({ label, tabs, selectedId, className }: TabListProps) {
  const list = useRef<HTMLDivElement>(null)
  const { box, hasBefore, hasAfter } = useOverflowEdges()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected tab is found in the page
  useEffect(() => {
    const [frame, selected] = [
      list.current?.parentElement,
      list.current?.querySelector<HTMLElement>('[aria-selected="true"]'),
    ]
    if (!frame || !selected) return
    // Horizontally only, unlike scrollIntoView; clear of the faded edge, as for focus.
    const [outer, inner] = [frame.getBoundingClientRect(), selected.getBoundingClientRect()]
    const margin = Number.parseFloat(getComputedStyle(selected).scrollMarginLeft)
    frame.scrollLeft +=
      Math.min(0, inner.left - margin - outer.left) + Math.max(0, inner.right + margin - outer.right)
  }, [selectedId])

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
      <Primitive.List ref={list} aria-label={label} className="mx-auto flex w-max gap-1 px-3">
        {tabs.map((tab) => (
          <Primitive.Tab
            key={tab.id}
            value={tab.id}
            className={classNames(
              // Clear of the faded edge.
              'scroll-mx-12 -outline-offset-2 h-11 shrink-0 whitespace-nowrap border-b-2 px-3 font-medium text-sm transition-colors',
              tab.id === selectedId
                ? 'border-brand-strong text-brand-strong'
                : 'border-transparent text-muted hover:border-line-strong hover:text-ink',
            )}
          >
            {tab.label}
          </Primitive.Tab>
        ))}
      </Primitive.List>
    </div>
  )
}

interface TabPanelProps {
  id: string
  /** Hides it by visibility, never by display: a report without a size does not render. */
  isLaidOut?: boolean
  className?: string
  children: ReactNode
}

/** The content of a tab; stays mounted. */
export function TabPanel({ id, isLaidOut = false, className, children }: TabPanelProps) {
  return (
    <Primitive.Panel
      value={id}
      keepMounted
      tabIndex={-1}
      {...(isLaidOut && { hidden: false })}
      className={classNames(
        // Immediately: the library hides it a frame later.
        isLaidOut ? 'data-ending-style:invisible data-hidden:invisible' : 'data-ending-style:hidden',
        className,
      )}
    >
      {children}
    </Primitive.Panel>
  )
}

/** Detects at which edges of a horizontal scroller content is hidden. */
function useOverflowEdges() {
  const box = useRef<HTMLDivElement>(null)
  const [ends, setEnds] = useState({ hasBefore: false, hasAfter: false })
  useEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => {
      const left = element.scrollWidth - element.clientWidth - element.scrollLeft
      // Zoomed pages report fractions of pixels.
      const found = { hasBefore: element.scrollLeft > 1, hasAfter: left > 1 }
      setEnds((known) =>
        known.hasBefore === found.hasBefore && known.hasAfter === found.hasAfter ? known : found,
      )
    }
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    if (element.firstElementChild) sizes.observe(element.firstElementChild)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [])
  return { box, ...ends }
}

/** Returns every tab selected so far, for panels that stay mounted. */
export function useVisited<T extends string>(selected: T | undefined): readonly T[] {
  const [visited, setVisited] = useState<readonly T[]>([])
  if (selected === undefined || visited.includes(selected)) return visited
  const next = [...visited, selected]
  setVisited(next)
  return next
}

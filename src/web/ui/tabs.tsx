import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { classNames } from './class-names.ts'

interface TabsProps extends Omit<ComponentProps<'div'>, 'onSelect'> {
  selectedId: string | undefined
  onSelect: (id: string) => void
}

// Of our own, since a report waits for them: the library's tabs are 15 KB.
const TabsContext = createContext({
  selectedId: undefined as string | undefined,
  onSelect: (_id: string) => {},
  toDomIds: (id: string) => ({ tabId: id, panelId: id }),
})

/** The root of a TabList and its TabPanels. */
export function Tabs({ selectedId, onSelect, ...rest }: TabsProps) {
  const prefix = useId()
  const toDomIds = (id: string) => {
    const name = prefix + encodeURIComponent(id)
    return { tabId: `${name}-tab`, panelId: `${name}-panel` }
  }
  return (
    <TabsContext value={{ selectedId, onSelect, toDomIds }}>
      <div {...rest} />
    </TabsContext>
  )
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
  const { onSelect, toDomIds } = useContext(TabsContext)
  const [focusedId, setFocusedId] = useState<string>()
  const list = useRef<HTMLDivElement>(null)
  const { box, fade } = useOverflowFade<HTMLDivElement>()

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
    <div ref={box} className={classNames('overflow-x-auto [scrollbar-width:none]', fade, className)}>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="mx-auto flex w-max gap-1 px-3"
        onKeyDown={moveFocus}
        onBlur={() => setFocusedId(undefined)}
      >
        {tabs.map((tab, index) => {
          const isSelected = tab.id === selectedId
          const { tabId, panelId } = toDomIds(tab.id)
          const entryId = focusedId ?? selectedId
          return (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={tabId}
              aria-selected={isSelected}
              aria-controls={isSelected ? panelId : undefined}
              tabIndex={(entryId === undefined ? index === 0 : tab.id === entryId) ? 0 : -1}
              onFocus={() => setFocusedId(tab.id)}
              onClick={() => onSelect(tab.id)}
              className={classNames(
                // Clear of the faded edge.
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

/** Moves the focus to the next, previous, first or last tab, around the ends. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget, altKey, ctrlKey, metaKey, shiftKey } = event
  const tabs = [...currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')]
  const index = tabs.indexOf(document.activeElement as HTMLElement)
  const target = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[key]
  // Alt and arrow keys are the browser's, for its history.
  if (target === undefined || altKey || ctrlKey || metaKey || shiftKey) return
  event.preventDefault()
  tabs.at(target % tabs.length)?.focus()
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
  const { selectedId, toDomIds } = useContext(TabsContext)
  const { tabId, panelId } = toDomIds(id)
  const isOpen = id === selectedId
  return (
    <div
      role="tabpanel"
      id={panelId}
      aria-labelledby={tabId}
      tabIndex={-1}
      inert={!isOpen}
      hidden={!isOpen && !isLaidOut}
      className={classNames(!isOpen && isLaidOut && 'invisible', className)}
    >
      {children}
    </div>
  )
}

/** Returns the classes that fade the edges of a horizontal scroller where content is hidden. */
export function useOverflowFade<T extends HTMLElement>() {
  const box = useRef<T>(null)
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
  const { hasBefore, hasAfter } = ends
  const fade = classNames(
    (hasBefore || hasAfter) && 'fade-ends',
    hasBefore && 'fade-start',
    hasAfter && 'fade-end',
  )
  return { box, fade }
}

/** Returns every tab selected so far, for panels that stay mounted. */
export function useVisited<T extends string>(selected: T | undefined): readonly T[] {
  const [visited, setVisited] = useState<readonly T[]>([])
  if (selected === undefined || visited.includes(selected)) return visited
  const next = [...visited, selected]
  setVisited(next)
  return next
}

import type { LucideIcon } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { classNames } from './class-names.ts'

const GAP_PX = 4

interface PopupProps {
  /** What opened it: it stands beside it, and gives the focus back to it. */
  anchor: RefObject<HTMLElement | null>
  id: string
  role: 'menu' | 'dialog'
  label: string
  /** Which edge it shares with what opened it. */
  align: 'start' | 'end'
  onClose: () => void
  children: ReactNode
}

/**
 * A small window over the page, with one thing focused at a time: arrow keys, Home, End and first letters move between
 * its parts, Escape and Tab lead back to what opened it, a press beside it closes it.
 */
export function Popup({ anchor, id, role, label, align, onClose, children }: PopupProps) {
  const popup = useRef<HTMLDivElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useLayoutEffect(() => {
    const element = popup.current
    if (!element || !anchor.current) return
    place(element, anchor.current, align)
    if (!element.matches(':popover-open')) element.showPopover()
    const first = element.querySelector<HTMLElement>('input, [aria-selected="true"]') ?? partsOf(element)[0]
    first?.focus({ preventScroll: true })
  }, [anchor, align])
  useEffect(() => {
    const ending = new AbortController()
    const leave = ({ target }: Event) => {
      const isOwn = [popup, anchor].some(({ current }) => target instanceof Node && current?.contains(target))
      if (!isOwn) close.current()
    }
    for (const name of ['pointerdown', 'focusin'])
      document.addEventListener(name, leave, { capture: true, signal: ending.signal })
    const stay = () => popup.current && anchor.current && place(popup.current, anchor.current, align)
    window.addEventListener('scroll', stay, { capture: true, signal: ending.signal })
    window.addEventListener('resize', stay, { signal: ending.signal })
    return () => ending.abort()
  }, [anchor, align])

  const follow = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') event.preventDefault()
      onClose()
      // Tab itself goes on from there.
      return anchor.current?.focus({ preventScroll: true })
    }
    const next = popup.current && nextPart(popup.current, event)
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  return (
    <div
      ref={popup}
      id={id}
      {...{ role, 'aria-label': label, onKeyDown: follow }}
      popover="manual"
      tabIndex={-1}
      className="fixed inset-auto m-0 min-w-48 overflow-y-auto overscroll-contain rounded-lg border border-line-strong/40 bg-raised p-1 text-ink text-sm shadow-lg"
    >
      {children}
    </div>
  )
}

/** Below what opened it, or above where there is more room. */
function place(element: HTMLElement, anchor: HTMLElement, align: PopupProps['align']): void {
  const { top, bottom, left, right, width } = anchor.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const isBelow = clientHeight - bottom >= Math.min(top, 320)
  const style: Partial<CSSStyleDeclaration> = {
    inset: 'auto',
    [isBelow ? 'top' : 'bottom']: `${(isBelow ? bottom : clientHeight - top) + GAP_PX}px`,
    [align === 'start' ? 'left' : 'right']: `${align === 'start' ? left : clientWidth - right}px`,
    maxHeight: `${(isBelow ? clientHeight - bottom : top) - 3 * GAP_PX}px`,
    minWidth: `${width}px`,
    maxWidth: `${(align === 'start' ? clientWidth - left : right) - 2 * GAP_PX}px`,
  }
  Object.assign(element.style, style)
}

/** Those that are seen: some are for a narrow window alone. */
const partsOf = (popup: HTMLElement) =>
  [...popup.querySelectorAll<HTMLElement>('[data-part]')].filter((part) => part.checkVisibility())

/** Where a key leads; letters typed into a field lead nowhere. */
function nextPart(popup: HTMLElement, { key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) {
  const parts = partsOf(popup)
  const current = parts.indexOf(target as HTMLElement)
  const isTyping = target instanceof HTMLInputElement
  if (key === 'ArrowDown') return parts[(current + 1) % parts.length]
  if (key === 'ArrowUp') return parts.at(current <= 0 ? -1 : current - 1)
  if (isTyping || ctrlKey || metaKey || altKey) return undefined
  if (key === 'Home') return parts[0]
  if (key === 'End') return parts.at(-1)
  if (key.length !== 1 || key === ' ') return undefined
  const startsSo = (part: HTMLElement) => part.textContent?.trim().toLowerCase().startsWith(key.toLowerCase())
  return [...parts.slice(current + 1), ...parts].find(startsSo)
}

/** How everything that can be chosen in a popup looks. */
export const partClasses =
  'flex w-full cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 text-left outline-none hover:bg-subtle focus:bg-subtle focus-visible:ring-2 focus-visible:ring-brand-strong focus-visible:ring-inset'

interface MenuItem {
  id: string
  label: string
  icon: LucideIcon
  /** It takes something away. */
  isDanger?: boolean
  /** Where this button is seen on a wide window already. */
  className?: string | undefined
  onSelect: () => void
}

interface MenuProps {
  /** What the button is called: 'Mais ações'. */
  label: string
  describedBy: string
  items: readonly MenuItem[]
  children: ReactNode
  className?: string
}

export function MenuButton({ label, describedBy, items, children, className }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = () => setIsOpen(false)
  return (
    <>
      <button
        ref={button}
        type="button"
        data-control="menu"
        aria-label={label}
        aria-describedby={describedBy}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
        className={className}
      >
        {children}
      </button>
      {isOpen && (
        <Popup anchor={button} id={id} role="menu" label={label} align="end" onClose={close}>
          {items.map(({ id: itemId, label: text, icon: Icon, isDanger, className: itemClass, onSelect }) => (
            <button
              key={itemId}
              type="button"
              role="menuitem"
              tabIndex={-1}
              data-part
              onClick={() => {
                close()
                // A dialog gives the focus back to what had it before.
                button.current?.focus({ preventScroll: true })
                onSelect()
              }}
              className={classNames(partClasses, isDanger && 'text-danger', itemClass)}
            >
              <Icon aria-hidden="true" className={classNames('size-4 shrink-0', !isDanger && 'text-muted')} />
              {text}
            </button>
          ))}
        </Popup>
      )}
    </>
  )
}

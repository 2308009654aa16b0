import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { classNames } from './class-names.ts'
import { useLazyPopup } from './lazy-dialog.ts'
import { Tooltip } from './tooltip.tsx'

/** The classes of a popup list and of its items. */
export const popupClasses =
  'flex max-h-(--available-height) min-w-[max(12rem,var(--anchor-width))] max-w-(--available-width) flex-col overflow-y-auto overscroll-contain rounded-lg border border-line-strong/40 bg-raised p-1 text-ink text-sm shadow-lg outline-none'
export const itemClasses =
  'flex w-full shrink-0 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 text-left outline-none data-highlighted:bg-subtle focus-visible:ring-2 focus-visible:ring-brand-strong focus-visible:ring-inset'

/**
 * Focuses the item two frames later: after one it has an index, from which arrow keys continue, and a
 * popover around the menu has taken the focus that the replaced button lost. A key may move it first.
 */
function focusFirst(item: HTMLElement | null): void {
  const focus = () => document.activeElement?.role !== 'menuitem' && item?.focus({ preventScroll: true })
  requestAnimationFrame(() => requestAnimationFrame(focus))
}

/** Longer than the interval between the presses of a double click. */
const DOUBLE_CLICK_MS = 600

/** The second press of a double click was aimed at the item, not at what stands below the menu. */
function ignoreSecondPress(): void {
  const stop = (event: MouseEvent) => {
    if (event.detail > 1) event.stopPropagation()
  }
  const types = ['mousedown', 'click'] as const
  for (const type of types) window.addEventListener(type, stop, true)
  setTimeout(() => {
    for (const type of types) window.removeEventListener(type, stop, true)
  }, DOUBLE_CLICK_MS)
}

const loadParts = () => import('@base-ui/react/menu')

interface MenuItem {
  id: string
  label: string
  icon: LucideIcon
  /** Whether it is destructive. */
  isDanger?: boolean
  /** Hides it where a wide window already shows the same button. */
  className?: string | undefined
  onSelect: () => void
}

interface MenuProps {
  /** The button's accessible name: 'Mais ações'. */
  label: string
  describedBy: string
  items: readonly MenuItem[]
  children: ReactNode
  className?: string
}

/** A button with a menu, whose code loads at the first press: a table has many of them. */
export function MenuButton({ label, describedBy, items, children, className }: MenuProps) {
  const { parts, open } = useLazyPopup(loadParts)
  const chosen = useRef<() => void>(undefined)
  const runActionOnceClosed = (isOpen: boolean) => {
    if (isOpen) return
    const action = chosen.current
    chosen.current = undefined
    action?.()
  }
  const trigger = {
    'data-control': 'menu',
    'aria-label': label,
    'aria-describedby': describedBy,
    children,
    className,
  }
  if (!parts)
    return (
      <Tooltip text={label}>
        <button type="button" aria-haspopup="menu" aria-expanded={false} onClick={open} {...trigger} />
      </Tooltip>
    )
  const { Menu } = parts
  return (
    // Runs the action once closed: the button has the focus again, so that a dialog can return it there.
    <Menu.Root defaultOpen modal={false} onOpenChangeComplete={runActionOnceClosed}>
      <Tooltip text={label}>
        <Menu.Trigger
          {...trigger}
          // Arrow keys move between the rows of a table.
          onKeyDown={(event) => event.key.startsWith('Arrow') && event.preventBaseUIHandler()}
        />
      </Tooltip>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-50">
          <Menu.Popup className={popupClasses}>
            {items.map(({ id, label: text, icon: Icon, isDanger, className: itemClass, onSelect }, index) => (
              <Menu.Item
                key={id}
                ref={index === 0 ? focusFirst : undefined}
                onClick={() => {
                  chosen.current = onSelect
                  ignoreSecondPress()
                }}
                className={classNames(itemClasses, isDanger && 'text-danger', itemClass)}
              >
                <Icon
                  aria-hidden="true"
                  className={classNames('size-4 shrink-0', !isDanger && 'text-muted')}
                />
                {text}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

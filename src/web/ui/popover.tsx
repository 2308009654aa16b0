import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { useLazyPopup } from './lazy-dialog.ts'
import { Tooltip } from './tooltip.tsx'

interface PopoverProps<T> {
  label: string
  trigger: ComponentProps<'button'>
  align?: 'start' | 'end'
  /** In pixels, below the button. */
  offset?: number
  /** Loads what its content needs, at the first press. */
  load?: () => Promise<T>
  children: (close: () => void, loaded: T) => ReactNode
}

/** A button with a popover; the first button or link in it gets the focus. */
export function Popover<T = undefined>({
  label,
  trigger,
  align = 'end',
  offset = 0,
  load,
  children,
}: PopoverProps<T>) {
  const { parts, open } = useLazyPopup(() => Promise.all([import('@base-ui/react/popover'), load?.()]))
  const [isOpen, setIsOpen] = useState(true)
  const popup = useRef<HTMLDivElement>(null)
  if (!parts)
    return (
      <Tooltip text={label}>
        <button type="button" aria-haspopup="dialog" aria-expanded={false} onClick={open} {...trigger} />
      </Tooltip>
    )
  const [{ Popover: Primitive }, loaded] = parts
  return (
    <Primitive.Root open={isOpen} onOpenChange={setIsOpen}>
      <Tooltip text={label} isOff={isOpen}>
        <Primitive.Trigger {...trigger} />
      </Tooltip>
      <Primitive.Portal>
        <Primitive.Positioner align={align} sideOffset={offset} className="z-50">
          <Primitive.Popup
            ref={popup}
            aria-label={label}
            initialFocus={() => popup.current?.querySelector<HTMLElement>('button, a')}
            className="max-h-(--available-height) w-max max-w-(--available-width) overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lg outline-none"
          >
            {children(() => setIsOpen(false), loaded as T)}
          </Primitive.Popup>
        </Primitive.Positioner>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { useLazyPopup } from './lazy-dialog.ts'
import { Tooltip } from './tooltip.tsx'

interface PopoverProps {
  label: string
  trigger: ComponentProps<'button'>
  children: (close: () => void) => ReactNode
}

const loadParts = () => import('@base-ui/react/popover')

/** A button with a popover; the first button in it gets the focus. */
export function Popover({ label, trigger, children }: PopoverProps) {
  const { parts, open } = useLazyPopup(loadParts)
  const [isOpen, setIsOpen] = useState(true)
  const popup = useRef<HTMLDivElement>(null)
  if (!parts)
    return (
      <Tooltip text={label}>
        <button type="button" aria-haspopup="dialog" aria-expanded={false} onClick={open} {...trigger} />
      </Tooltip>
    )
  const { Popover: Primitive } = parts
  return (
    <Primitive.Root open={isOpen} onOpenChange={setIsOpen}>
      <Tooltip text={label}>
        <Primitive.Trigger {...trigger} />
      </Tooltip>
      <Primitive.Portal>
        <Primitive.Positioner align="end" className="z-50">
          <Primitive.Popup
            ref={popup}
            aria-label={label}
            initialFocus={() => popup.current?.querySelector('button')}
            className="w-max max-w-(--available-width) rounded-lg border border-line bg-raised p-1 shadow-lg outline-none"
          >
            {children(() => setIsOpen(false))}
          </Primitive.Popup>
        </Primitive.Positioner>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

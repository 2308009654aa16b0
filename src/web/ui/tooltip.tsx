import { type ReactNode, useState } from 'react'
import { useOptionalChunk } from '#web/http/load-chunk.ts'
import { classNames } from './class-names.ts'

// Loaded on first hover: /login's bundle budget and large tables have no room for it.
const loadParts = () => import('@base-ui/react/tooltip')

interface TooltipProps {
  text: string
  className?: string
  popupClassName?: string
  /** Whether the child's own popup is open, which the text would cover. */
  isOff?: boolean
  children: ReactNode
}

/**
 * Shows a short text below its child on hover and keyboard focus, never on touch; Escape hides
 * it. Only for text that the child's accessible name contains: the popup itself is not announced.
 */
export function Tooltip({ text, className = 'relative', popupClassName, isOff, children }: TooltipProps) {
  const [shown, setShown] = useState<{ anchor: Element; isHovered: boolean }>()
  const chunk = useOptionalChunk(loadParts, shown !== undefined)
  const hide = () => setShown(undefined)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes events of its child
    <span
      data-tooltip={text}
      className={classNames('inline-flex', className)}
      onPointerEnter={({ currentTarget, pointerType }) =>
        pointerType === 'mouse' && setShown({ anchor: currentTarget, isHovered: true })
      }
      onFocus={({ currentTarget, target }) =>
        target.matches(':focus-visible') && setShown({ anchor: currentTarget, isHovered: false })
      }
      onPointerLeave={hide}
      onBlur={hide}
      onPointerDown={hide}
    >
      {children}
      {chunk && shown && !isOff && (
        <chunk.Tooltip.Root open onOpenChange={hide}>
          <chunk.Tooltip.Portal>
            <chunk.Tooltip.Positioner
              anchor={shown.anchor}
              side="bottom"
              sideOffset={6}
              className="pointer-events-none z-50"
            >
              <chunk.Tooltip.Popup
                className={classNames(
                  'whitespace-nowrap rounded-md bg-ink px-2 py-1 text-canvas text-xs transition-opacity starting:opacity-0',
                  shown.isHovered && 'delay-300',
                  popupClassName,
                )}
              >
                {text}
              </chunk.Tooltip.Popup>
            </chunk.Tooltip.Positioner>
          </chunk.Tooltip.Portal>
        </chunk.Tooltip.Root>
      )}
    </span>
  )
}

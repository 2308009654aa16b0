import { Dialog as Primitive } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'

interface DialogProps {
  isOpen: boolean
  title: string
  description?: ReactNode
  /** Called when the person wants to leave; without it the dialog cannot be dismissed. */
  onClose?: () => void
  children?: ReactNode
  /** The buttons, the most important one last. */
  actions?: ReactNode
}

/** A modal dialog: focus stays inside, Escape and a click beside it close it where onClose is given. */
export function Dialog({ isOpen, title, description, onClose, children, actions }: DialogProps) {
  return (
    <Primitive.Root
      open={isOpen}
      disablePointerDismissal={!onClose}
      onOpenChange={(open) => {
        if (!open) onClose?.()
      }}
    >
      <Primitive.Portal>
        <Primitive.Backdrop className="fixed inset-0 z-30 bg-black/45 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Primitive.Popup className="fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-2rem)] w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-raised p-6 text-ink shadow-xl transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
          <Primitive.Title className="font-semibold text-lg leading-snug">{title}</Primitive.Title>
          {description && (
            <Primitive.Description className="mt-2 text-muted text-sm">{description}</Primitive.Description>
          )}
          {children && <div className="mt-4">{children}</div>}
          {actions && <div className="mt-6 flex flex-wrap justify-end gap-2">{actions}</div>}
        </Primitive.Popup>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

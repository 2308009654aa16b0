import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'

/**
 * Shows a short text under its child on hover and keyboard focus; Escape hides it.
 * Only for text that the child's accessible name says already: the bubble itself is not read out.
 */
export function Tooltip({
  text,
  className,
  children,
}: {
  text: string
  className?: string
  children: ReactNode
}) {
  const [isDismissed, setIsDismissed] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens in on its child
    <span
      data-text={text}
      data-dismissed={isDismissed || undefined}
      className={classNames('tooltip', className)}
      onKeyDown={(event) => event.key === 'Escape' && setIsDismissed(true)}
      onMouseLeave={() => setIsDismissed(false)}
      onBlur={() => setIsDismissed(false)}
    >
      {children}
    </span>
  )
}

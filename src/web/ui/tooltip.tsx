import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'

const bubbleClasses =
  'after:pointer-events-none after:invisible after:absolute after:top-full after:left-1/2 after:z-20 after:mt-1.5 after:-translate-x-1/2 after:whitespace-nowrap after:rounded-md after:bg-ink after:px-2 after:py-1 after:text-canvas after:text-xs after:opacity-0 after:transition-opacity after:content-[attr(data-text)] hover:after:visible hover:after:opacity-100 hover:after:delay-300 has-focus-visible:after:visible has-focus-visible:after:opacity-100'

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
      className={classNames('relative inline-flex', !isDismissed && bubbleClasses, className)}
      onKeyDown={(event) => event.key === 'Escape' && setIsDismissed(true)}
      onMouseLeave={() => setIsDismissed(false)}
      onBlur={() => setIsDismissed(false)}
    >
      {children}
    </span>
  )
}

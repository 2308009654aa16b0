import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Tooltip } from './tooltip.tsx'

type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'aria-label'> & {
  /** Accessible name, shown as the tooltip too. */
  label: string
  icon: ReactNode
}

/** A button that is only an icon: named for screen readers, explained on hover and focus. */
export function IconButton({ label, icon, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={classNames(
          'inline-flex size-10 items-center justify-center rounded-lg text-muted transition-colors hover:bg-subtle hover:text-ink disabled:opacity-55',
          className,
        )}
      >
        {icon}
      </button>
    </Tooltip>
  )
}

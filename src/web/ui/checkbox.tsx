import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'> & {
  label: ReactNode
  /** The label is read out only; the box alone stands on the page. */
  isLabelHidden?: boolean
  /** Some of what the box stands for is ticked, some is not. */
  isMixed?: boolean
}

/** A box to tick; its whole line can be pressed, at least 36 pixels high. */
export function Checkbox({ label, isLabelHidden, isMixed = false, className, ...rest }: CheckboxProps) {
  return (
    <label
      className={classNames(
        'inline-flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md text-sm',
        'has-disabled:cursor-default has-disabled:opacity-60',
        className,
      )}
    >
      <input
        {...rest}
        type="checkbox"
        ref={(input) => {
          if (input) input.indeterminate = isMixed
        }}
        className="size-4 shrink-0 accent-brand-strong"
      />
      <span className={classNames(isLabelHidden && 'sr-only')}>{label}</span>
    </label>
  )
}

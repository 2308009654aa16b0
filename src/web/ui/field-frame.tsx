import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface FieldFrameProps {
  /** Of the input, which must point at the texts by describedBy. */
  id: string
  label: string
  error?: string | undefined
  hint?: ReactNode
  className?: string | undefined
  children: ReactNode
}

/** A label above an input, and below it what is wrong and a remark. */
export function FieldFrame({ id, label, error, hint, className, children }: FieldFrameProps) {
  return (
    <div className={classNames('space-y-1.5', className)}>
      <label htmlFor={id} className="block font-medium text-sm">
        {label}
      </label>
      {children}
      {error && (
        <p id={`${id}-error`} className="text-danger text-sm">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </div>
      )}
    </div>
  )
}

/** What ties an input to its frame's texts; spread on it. */
export function inputProps(id: string, error: string | undefined, hint: ReactNode) {
  return {
    id,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': classNames(error && `${id}-error`, hint !== undefined && `${id}-hint`) || undefined,
  }
}

/** The look of an input, whatever its kind. */
export function inputClasses(error: string | undefined): string {
  return classNames(
    'w-full rounded-lg border bg-surface px-3 text-base text-ink placeholder:text-muted sm:text-sm',
    'transition-colors focus-visible:outline-offset-0 disabled:opacity-60 read-only:bg-subtle',
    error ? 'border-danger' : 'border-line-strong/70 hover:border-line-strong',
  )
}

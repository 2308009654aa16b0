import { type ReactNode, useId } from 'react'
import { FieldFrame } from './text-field.tsx'

interface SelectFieldProps {
  label: string
  options: readonly { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
  hint?: ReactNode
}

/** The system's own list, which phones show as a wheel. */
export function SelectField({ label, options, value, onChange, hint }: SelectFieldProps) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} hint={hint} className="min-w-0">
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="h-11 w-full rounded-lg border border-line-strong/70 bg-surface px-3 text-base text-ink hover:border-line-strong focus-visible:outline-offset-0 sm:text-sm"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

import { classNames } from '#web/ui/class-names.ts'

interface FilterSelectProps {
  label: string
  /** What is offered first: no filter. */
  every: string
  options: readonly (readonly [value: string, label: string])[]
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** One filter: a list to choose from, marked while it narrows the table. */
export function FilterSelect({ label, every, options, value, onChange }: FilterSelectProps) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value || undefined)}
      className={classNames(
        'h-10 min-w-0 rounded-lg border bg-surface px-2.5 text-base focus-visible:outline-offset-0 sm:text-sm',
        value === undefined
          ? 'border-line-strong/50 text-muted hover:border-line-strong'
          : 'border-brand font-medium text-ink',
      )}
    >
      <option value="">{every}</option>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  )
}

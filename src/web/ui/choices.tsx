import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'> & {
  /** A checkbox without one, as in a table, needs an `aria-label`. */
  label?: ReactNode
  /** Indeterminate: some of its items are selected. */
  isMixed?: boolean
}

/** A checkbox whose whole row is clickable, at least 36 pixels high. */
export function Checkbox({ label, isMixed = false, className, ...rest }: CheckboxProps) {
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
        className="tick size-4 shrink-0"
      />
      {label && <span>{label}</span>}
    </label>
  )
}

/** Adds the value, or removes it where it is present. */
export function toggleValue(values: readonly string[], value: string): string[] {
  return values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
}

interface CheckboxListProps {
  legend: string
  isLegendHidden?: boolean
  options: readonly { value: string; label: string }[]
  ticked: readonly string[]
  /** Called with all selected values, in the order of the options. */
  onChange: (ticked: string[]) => void
  className?: string
}

/** A list of checkboxes with one that selects or clears all of them. */
export function CheckboxList(props: CheckboxListProps) {
  const { legend, isLegendHidden, options, ticked, onChange, className } = props
  const values = options.map(({ value }) => value)
  const legendId = useId()
  const count = values.filter((value) => ticked.includes(value)).length
  const toggle = (value: string, isTicked: boolean) =>
    onChange(values.filter((each) => (each === value ? isTicked : ticked.includes(each))))
  return (
    <fieldset aria-labelledby={legendId} className="min-w-0">
      <div className="flex items-center justify-between gap-4 border-line border-b">
        <p id={legendId} className={classNames('font-medium text-sm', isLegendHidden && 'sr-only')}>
          {legend}
        </p>
        <Checkbox
          label="Marcar todos"
          className={classNames('text-muted', !isLegendHidden && 'flex-row-reverse')}
          checked={count > 0 && count === options.length}
          isMixed={count > 0 && count < options.length}
          onChange={({ target }) => onChange(target.checked ? values : [])}
        />
      </div>
      <div className={classNames('grid gap-x-4 pt-1', className ?? 'grid-cols-2 sm:grid-cols-3')}>
        {options.map(({ value, label }) => (
          <Checkbox
            key={value}
            label={label}
            checked={ticked.includes(value)}
            onChange={({ target }) => toggle(value, target.checked)}
          />
        ))}
      </div>
    </fieldset>
  )
}

interface RadioGroupProps<V extends string> {
  label: string
  options: readonly { value: V; label: string; hint?: ReactNode }[]
  value: V
  onChange: (value: V) => void
  className?: string
}

/** A group of native radio buttons, each with an optional hint. */
export function RadioGroup<V extends string>({
  label,
  options,
  value,
  onChange,
  className,
}: RadioGroupProps<V>) {
  const id = useId()
  return (
    <fieldset className="min-w-0 space-y-2">
      <legend className="mb-2 font-medium text-sm">{label}</legend>
      <div className={classNames('grid gap-2', className)}>
        {options.map((option) => (
          <label
            key={option.value}
            className="flex cursor-pointer gap-3 rounded-lg border border-line-strong/50 px-3 py-2.5 transition-colors hover:bg-subtle has-checked:border-brand-strong has-checked:bg-brand/8 has-focus-visible:outline-2 has-focus-visible:outline-brand-strong has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              aria-labelledby={`${id}-${option.value}`}
              aria-describedby={option.hint === undefined ? undefined : `${id}-${option.value}-hint`}
              className="tick mt-0.5 size-4 shrink-0 cursor-pointer outline-none"
            />
            <span className="min-w-0 text-sm">
              <span id={`${id}-${option.value}`} className="block font-medium">
                {option.label}
              </span>
              {option.hint !== undefined && (
                <span id={`${id}-${option.value}-hint`} className="block text-muted">
                  {option.hint}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

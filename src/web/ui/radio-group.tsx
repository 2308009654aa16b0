import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

interface RadioGroupProps<V extends string> {
  /** What is chosen here; shown above the options. */
  label: string
  options: readonly { value: V; label: string; hint?: ReactNode }[]
  value: V
  onChange: (value: V) => void
  /** How the options stand, a grid of columns say. */
  className?: string
}

/** One choice of a few, each with a line that explains it. Native radio buttons: the keys are the browser's own. */
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
            className="flex cursor-pointer gap-3 rounded-lg border border-line-strong/50 px-3 py-2.5 transition-colors hover:bg-subtle has-checked:border-brand has-checked:bg-brand/8 has-focus-visible:outline-2 has-focus-visible:outline-brand-strong has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              aria-labelledby={`${id}-${option.value}`}
              aria-describedby={option.hint === undefined ? undefined : `${id}-${option.value}-hint`}
              className="mt-0.5 size-4 shrink-0 cursor-pointer accent-brand outline-none"
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

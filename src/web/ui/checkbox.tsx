import { type ComponentProps, type ReactNode, useId } from 'react'
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

interface CheckboxListProps<T extends string> {
  /** What the list is about; its accessible name. */
  legend: string
  /** The legend is read out only. */
  isLegendHidden?: boolean
  options: readonly T[]
  ticked: readonly T[]
  /** Called with everything that is ticked from now on, in the order of the options. */
  onChange: (ticked: T[]) => void
  /** Classes of the grid of boxes: how many columns. */
  className?: string
}

/** A list of boxes with one above them that ticks or clears all of them. */
export function CheckboxList<T extends string>(props: CheckboxListProps<T>) {
  const { legend, isLegendHidden, options, ticked, onChange, className } = props
  const legendId = useId()
  const count = options.filter((option) => ticked.includes(option)).length
  const toggle = (option: T, isTicked: boolean) =>
    onChange(options.filter((each) => (each === option ? isTicked : ticked.includes(each))))
  return (
    <fieldset aria-labelledby={legendId} className="min-w-0">
      <div className="flex items-center justify-between gap-4 border-line border-b">
        <p id={legendId} className={classNames('font-medium text-sm', isLegendHidden && 'sr-only')}>
          {legend}
        </p>
        <Checkbox
          label="Marcar todos"
          className={classNames('text-muted', !isLegendHidden && 'flex-row-reverse')}
          checked={count === options.length}
          isMixed={count > 0 && count < options.length}
          onChange={({ target }) => onChange(target.checked ? [...options] : [])}
        />
      </div>
      <div className={classNames('grid gap-x-4 pt-1', className ?? 'grid-cols-2 sm:grid-cols-3')}>
        {options.map((option) => (
          <Checkbox
            key={option}
            label={option}
            checked={ticked.includes(option)}
            onChange={({ target }) => toggle(option, target.checked)}
          />
        ))}
      </div>
    </fieldset>
  )
}

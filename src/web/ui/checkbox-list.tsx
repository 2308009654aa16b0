import { useId } from 'react'
import { Checkbox } from './checkbox.tsx'
import { classNames } from './class-names.ts'

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

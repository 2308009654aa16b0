import Calendar from 'lucide-react/icons/calendar'
import { useId, useRef, useState } from 'react'
import { isDay } from '#contract/user-rules.ts'
import { formatDate } from './format-instant.ts'
import { FieldFrame, inputClasses, inputProps } from './text-field.tsx'
import { Tooltip } from './tooltip.tsx'

interface DateFieldProps {
  label: string
  /** A day, '2026-12-31', or what has been typed of one; '' for none. */
  value: string
  error?: string | undefined
  /** The first day that the calendar offers. */
  min: string
  onChange: (value: string) => void
  className?: string
}

const LENGTH = '31/12/2026'.length

/** A day, typed and shown as in Brazil whatever the browser's language, or picked in its calendar. */
export function DateField({ label, value, error, min, onChange, className }: DateFieldProps) {
  const id = useId()
  const calendar = useRef<HTMLInputElement>(null)
  const [isTyping, setIsTyping] = useState(false)
  const day = isDay(value) ? value : ''
  const text = day ? formatDate(day) : value
  const shown = isTyping && text.length < LENGTH ? undefined : error
  return (
    <FieldFrame id={id} label={label} error={shown} className={className}>
      <div className="relative">
        <input
          {...inputProps(id, shown, undefined)}
          inputMode="numeric"
          autoComplete="off"
          placeholder="dd/mm/aaaa"
          value={text}
          onChange={({ target }) => {
            setIsTyping(true)
            onChange(parseTyped(target.value))
          }}
          onBlur={() => setIsTyping(false)}
          className={`h-11 pr-11 tabular-nums ${inputClasses(shown)}`}
        />
        <input
          ref={calendar}
          type="date"
          tabIndex={-1}
          aria-hidden="true"
          value={day}
          min={min}
          onChange={({ target }) => onChange(target.value)}
          className="pointer-events-none absolute inset-0 size-full opacity-0"
        />
        <Tooltip text="Escolher no calendário" className="absolute inset-y-0 right-0">
          <button
            type="button"
            aria-label="Escolher no calendário"
            onClick={() => calendar.current?.showPicker()}
            className="inline-flex w-11 items-center justify-center rounded-r-lg text-muted hover:text-ink focus-visible:-outline-offset-2"
          >
            <Calendar aria-hidden="true" className="size-4" />
          </button>
        </Tooltip>
      </div>
    </FieldFrame>
  )
}

/** Converts '31122026' and '31/12/2026' to '2026-12-31'; what is no day yet, to '31/12/20'. */
export function parseTyped(text: string): string {
  if (isDay(text.trim())) return text.trim()
  const digits = text.replace(/\D/g, '').slice(0, 8)
  const [day, month, year] = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4)]
  const whole = `${year}-${month}-${day}`
  return isDay(whole) ? whole : [day, month, year].filter(Boolean).join('/')
}

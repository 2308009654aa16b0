import Search from 'lucide-react/icons/search'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

/** The longest search that the server accepts. */
export const MAX_SEARCH_LENGTH = 100

interface SearchFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'type'> {
  'aria-label': string
  /** The current search, from the URL. */
  value: string
  onSearch: (q: string) => void
  /**
   * Throttle interval (ms): searches at once, then at most this
   * often. A debounce would wait for a pause.
   */
  throttleMs: number
}

/**
 * Searches while typing (throttled), at once on Enter; changes
 * of the URL (back, 'Limpar filtros') update the text.
 */
export function SearchField({ value, onSearch, throttleMs, className, ...rest }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sentAt = useRef(0)
  // Searches not yet reflected in the URL: a late one must not overwrite letters typed since.
  const pending = useRef<string[]>([])
  useEffect(() => {
    const arrived = pending.current.lastIndexOf(value)
    if (arrived !== -1) pending.current.splice(0, arrived + 1)
    else setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  const send = (typed: string) => {
    clearTimeout(timer.current)
    const q = typed.trim()
    if (q === (pending.current.at(-1) ?? value)) return
    pending.current.push(q)
    sentAt.current = performance.now()
    onSearch(q)
  }
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    const waitMs = sentAt.current + throttleMs - performance.now()
    if (waitMs <= 0) send(typed)
    else timer.current = setTimeout(() => send(typed), waitMs)
  }
  return (
    <div className={classNames('relative', className)}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
      />
      <input
        {...rest}
        type="search"
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && send(text)}
        maxLength={MAX_SEARCH_LENGTH}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="h-10 w-full rounded-lg border border-line-strong/70 max-sm:h-11 bg-surface pr-2 pl-9 text-base text-ink placeholder:text-muted hover:border-line-strong focus-visible:outline-offset-0 sm:text-sm"
      />
    </div>
  )
}

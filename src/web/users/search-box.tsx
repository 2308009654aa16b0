import Search from 'lucide-react/icons/search'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { MOST_SEARCHED, tidySearch } from './user-view.ts'

/**
 * A letter is searched for at once, one that follows sooner than this after that time. A usual debounce, which waits
 * for a hand to rest, alone would take longer than an answer may take.
 */
const REST_MS = 40

interface SearchBoxProps {
  value: string
  onSearch: (q: string) => void
}

/** Searches by name or e-mail while it is typed, at once on Enter; '/' leads here. */
export function SearchBox({ value, onSearch }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null)
  const { text, type, send } = useTypedSearch(value, onSearch)
  useSlash(input)
  return (
    <search className="relative min-w-0 flex-1 xl:max-w-80">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
      />
      <input
        ref={input}
        type="search"
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && send(text)}
        maxLength={MOST_SEARCHED}
        aria-label="Buscar por nome ou e-mail"
        aria-keyshortcuts="/"
        // Shorter than its name: a phone has no place for more.
        placeholder="Nome ou e-mail"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="h-10 w-full rounded-lg border border-line-strong/70 bg-surface pr-2 pl-9 text-base text-ink placeholder:text-muted hover:border-line-strong focus-visible:outline-offset-0 sm:text-sm"
      />
    </search>
  )
}

/** What is being typed, and its way to the address; what comes from the address (back, 'Limpar filtros') is shown. */
function useTypedSearch(value: string, onSearch: (q: string) => void) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sentAt = useRef(0)
  // What was sent and has not arrived yet: it must not overwrite letters typed since.
  const onTheWay = useRef<string[]>([])
  useEffect(() => {
    const arrived = onTheWay.current.lastIndexOf(value)
    if (arrived !== -1) onTheWay.current.splice(0, arrived + 1)
    else setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  const send = (typed: string) => {
    clearTimeout(timer.current)
    const q = tidySearch(typed)
    if (q === (onTheWay.current.at(-1) ?? value)) return
    onTheWay.current.push(q)
    sentAt.current = performance.now()
    onSearch(q)
  }
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    const restMs = sentAt.current + REST_MS - performance.now()
    if (restMs <= 0) send(typed)
    else timer.current = setTimeout(() => send(typed), restMs)
  }
  return { text, type, send }
}

function useSlash(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      const isTaken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
      if (event.key !== '/' || isTaken || isTyping(event.target)) return
      if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', follow)
    return () => document.removeEventListener('keydown', follow)
  }, [input])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])'))
  )
}

import { useNavigate, useSearch } from '@tanstack/react-router'
import Search from 'lucide-react/icons/search'
import { useEffect, useRef, useState } from 'react'
import { useSession } from '#web/session/session.ts'
import { InboxCards } from './inbox-cards.tsx'

export interface InboxFilter {
  q: string
  isUnreadOnly: boolean
}

/** Longer searches are refused by the server. */
const MAX_SEARCH_LENGTH = 100

/** Reads the filter from the URL, where anything may stand: `?q=123` arrives as a number, `?unread=true` as a boolean. */
export function readFilter(search: { q?: unknown; unread?: unknown }): InboxFilter {
  const isText = typeof search.q === 'string' || typeof search.q === 'number'
  return {
    q: isText ? String(search.q).trim().slice(0, MAX_SEARCH_LENGTH) : '',
    isUnreadOnly: String(search.unread) === 'true',
  }
}

/** The filter as the URL keeps it: nothing where it asks for nothing. */
export function writeFilter({ q, isUnreadOnly }: InboxFilter): { q?: string; unread?: string } {
  const trimmed = q.trim().slice(0, MAX_SEARCH_LENGTH)
  return { ...(trimmed && { q: trimmed }), ...(isUnreadOnly && { unread: 'true' }) }
}

/** /mensagens, 'Mensagens de Suporte': what the contact form brought, for administrators. */
export function InboxScreen() {
  const userId = useSession()?.user.id
  return (
    <div className="mx-auto w-full max-w-3xl space-y-5 px-4 py-8">
      <h1 className="font-semibold text-2xl tracking-tight">Mensagens de Suporte</h1>
      {userId !== undefined && <Inbox userId={userId} />}
    </div>
  )
}

function Inbox({ userId }: { userId: string }) {
  const filter = readFilter(useSearch({ strict: false }))
  const navigate = useNavigate()
  const setFilter = (next: InboxFilter) =>
    void navigate({ to: '.', search: writeFilter(next), replace: true })
  return (
    <>
      <InboxToolbar filter={filter} onChange={setFilter} />
      <InboxCards userId={userId} filter={filter} onClear={() => setFilter({ q: '', isUnreadOnly: false })} />
    </>
  )
}

const TYPING_PAUSE_MS = 300

interface InboxToolbarProps {
  filter: InboxFilter
  onChange: (filter: InboxFilter) => void
}

function InboxToolbar({ filter, onChange }: InboxToolbarProps) {
  return (
    <search className="flex flex-wrap gap-3">
      <SearchField value={filter.q} onChange={(q) => onChange({ ...filter, q })} />
      <fieldset className="flex h-10 shrink-0 rounded-lg border border-line-strong/70 bg-surface p-0.5">
        <legend className="sr-only">Mostrar</legend>
        {[false, true].map((isUnreadOnly) => (
          <label
            key={String(isUnreadOnly)}
            className="flex cursor-pointer items-center rounded-md px-3 font-medium text-muted text-sm transition-colors hover:text-ink has-checked:bg-subtle has-checked:text-ink has-focus-visible:ring-2 has-focus-visible:ring-brand-strong"
          >
            <input
              type="radio"
              name="shown"
              checked={filter.isUnreadOnly === isUnreadOnly}
              onChange={() => onChange({ ...filter, isUnreadOnly })}
              className="sr-only"
            />
            {isUnreadOnly ? 'Não lidas' : 'Todas'}
          </label>
        ))}
      </fieldset>
    </search>
  )
}

/** Searches once the typing pauses; what the URL says otherwise (back button, link) takes its place. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setTyped(value)
  }, [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause anew
  useEffect(() => {
    if (typed.trim() === sent.current) return
    const timer = setTimeout(() => {
      sent.current = typed.trim()
      onChange(typed.trim())
    }, TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div className="relative min-w-48 flex-1">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-muted"
      />
      <input
        type="search"
        aria-label="Buscar mensagens"
        placeholder="Nome, e-mail, celular ou texto"
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        className="h-10 w-full rounded-lg border border-line-strong/70 bg-surface pr-3 pl-9 text-base text-ink placeholder:text-muted hover:border-line-strong focus-visible:outline-offset-0 sm:text-sm"
      />
    </div>
  )
}

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useSession } from '#web/session/session.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { MAX_SEARCH_LENGTH, SearchField } from '#web/ui/search-field.tsx'
import { InboxCards } from './inbox-cards.tsx'

const SHOWN = { all: 'Todas', unread: 'Não lidas', suspect: 'Suspeitas' }
type Shown = keyof typeof SHOWN

export interface InboxFilter {
  q: string
  shown: Shown
}

/**
 * Parses the filter from the URL, where values may have any
 * type: `?q=123` is a number, `?unread=true` a boolean.
 */
export function parseFilter(search: { q?: unknown; unread?: unknown; suspect?: unknown }): InboxFilter {
  const isSet = (value: unknown) => String(value) === 'true'
  const isText = typeof search.q === 'string' || typeof search.q === 'number'
  return {
    q: isText ? String(search.q).trim().slice(0, MAX_SEARCH_LENGTH) : '',
    shown: isSet(search.suspect) ? 'suspect' : isSet(search.unread) ? 'unread' : 'all',
  }
}

/** Converts the filter to search parameters, without defaults. */
export function toSearchParams({ q, shown }: InboxFilter) {
  const trimmed = q.trim().slice(0, MAX_SEARCH_LENGTH)
  return { ...(trimmed && { q: trimmed }), ...(shown !== 'all' && { [shown]: 'true' }) }
}

/** /mensagens, 'Mensagens de Suporte': the messages of the contact form, for administrators. */
export function InboxScreen() {
  const userId = useSession()?.user.id
  const filter = parseFilter(useSearch({ strict: false }))
  const navigate = useNavigate()
  const setFilter = (next: InboxFilter) =>
    void navigate({ to: '.', search: toSearchParams(next), replace: true })
  return (
    <AdminPage title="Mensagens de Suporte">
      {userId !== undefined && (
        <>
          <InboxToolbar filter={filter} onChange={setFilter} />
          <InboxCards userId={userId} filter={filter} onClear={() => setFilter({ q: '', shown: 'all' })} />
        </>
      )}
    </AdminPage>
  )
}

interface InboxToolbarProps {
  filter: InboxFilter
  onChange: (filter: InboxFilter) => void
}

function InboxToolbar({ filter, onChange }: InboxToolbarProps) {
  return (
    <search className="flex flex-wrap gap-3">
      <SearchField
        value={filter.q}
        onSearch={(q) => onChange({ ...filter, q })}
        throttleMs={300}
        aria-label="Buscar mensagens"
        placeholder="Nome, e-mail, celular ou texto"
        className="min-w-48 flex-1"
      />
      <fieldset className="flex h-10 shrink-0 rounded-lg border border-line-strong/70 bg-surface p-0.5">
        <legend className="sr-only">Mostrar</legend>
        {(Object.keys(SHOWN) as Shown[]).map((shown) => (
          <label
            key={shown}
            className="flex cursor-pointer items-center rounded-md px-3 font-medium text-muted text-sm transition-colors hover:text-ink has-checked:bg-subtle has-checked:text-ink has-focus-visible:ring-2 has-focus-visible:ring-brand-strong"
          >
            <input
              type="radio"
              name="shown"
              checked={filter.shown === shown}
              onChange={() => onChange({ ...filter, shown })}
              className="sr-only"
            />
            {SHOWN[shown]}
          </label>
        ))}
      </fieldset>
    </search>
  )
}

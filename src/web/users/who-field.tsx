import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient, USERS_QUERY } from '#web/http/query-client.ts'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useDebouncedValue } from '#web/ui/use-debounced-value.ts'
import { toFailureToast } from '#web/ui/use-submit.ts'

interface WhoFieldProps {
  label: string
  placeholder?: string
  /** An e-mail, or what `parseOther` returns; '' for nobody. */
  value: string
  /** Returns what names somebody without an account, such as a pseudonym. */
  parseOther?: (text: string) => string | undefined
  /** @param person undefined for nobody and for who has no account */
  onPick: (who: string, person?: ManagedProfile) => void
}

const suggestionsQuery = (q: string) => ({
  queryKey: [USERS_QUERY, 'suggestions', q],
  queryFn: () => callApi('GET /api/profiles', { query: { q, limit: 8, sort: 'email' as const } }),
})

/**
 * Names a person by e-mail or name. On Enter or when left it takes the only match, offers several, and
 * refuses a name of nobody, which never becomes a filter.
 */
export function WhoField(props: WhoFieldProps) {
  const { label, placeholder = 'nome ou e-mail', value, parseOther, onPick } = props
  const id = useId()
  const [text, setText] = useState(value)
  const [error, setError] = useState<string>()
  const [offered, setOffered] = useState<readonly ManagedProfile[]>([])
  const typed = useRef(value)
  const picked = useRef(value)
  const change = (next: string) => {
    typed.current = next
    setText(next)
    setError(undefined)
    setOffered([])
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a render must not take back what is typed
  useEffect(() => {
    if (value !== picked.current) change(value)
    picked.current = value
  }, [value])
  const q = useDebouncedValue(text.trim())
  const people = useQuery({ ...suggestionsQuery(q), enabled: q.length > 1 && q !== value }).data?.items
  const pick = (who: string, person?: ManagedProfile) => {
    change(who)
    picked.current = who
    if (who !== value) onPick(who, person)
  }
  const resolve = async () => {
    const who = text.trim()
    if (error) return
    const other = who === '' ? who : parseOther?.(who)
    if (other !== undefined) return pick(other)
    try {
      const { items, next } = await queryClient.fetchQuery(suggestionsQuery(who))
      // Meanwhile somebody types on, or has picked from the list.
      if (typed.current.trim() !== who) return
      const [only, another] = items
      const found = items.find(({ email }) => email === who.toLowerCase()) ?? (another ? undefined : only)
      if (found) return pick(found.email, found)
      setOffered(items)
      if (!only) setError('Ninguém se chama assim; confira ou escolha na lista')
      else
        setError(next ? 'Há mais de oito; escolha ou escreva mais' : `${items.length} pessoas; escolha uma`)
    } catch (failure) {
      showToast(toFailureToast('A pessoa não pôde ser procurada', failure))
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void resolve()
  }
  return (
    <form
      onSubmit={submit}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (text.trim() !== value && !currentTarget.contains(relatedTarget)) void resolve()
      }}
      className="min-w-0 flex-1 basis-52"
    >
      <TextField
        label={label}
        value={text}
        error={error}
        list={id}
        spellCheck={false}
        autoComplete="off"
        placeholder={placeholder}
        onChange={({ target }) => {
          // An entry of the list is taken at once, and so is an emptied field.
          const person = people?.find(({ email }) => email === target.value)
          if (target.value === '' || person) pick(target.value, person)
          else change(target.value)
        }}
      />
      <datalist id={id}>
        {people?.map(({ email, full_name }) => (
          <option key={email} value={email}>
            {full_name}
          </option>
        ))}
      </datalist>
      <p role="status" className="sr-only">
        {error}
      </p>
      {offered.length > 0 && (
        <ul
          aria-label="Pessoas encontradas"
          className="mt-1 rounded-lg border border-line bg-surface p-1 text-sm"
        >
          {offered.map((person) => (
            <li key={person.user_id}>
              <button
                type="button"
                onClick={() => pick(person.email, person)}
                className="block w-full break-words rounded-md px-2 py-1.5 text-left hover:bg-subtle"
              >
                {person.full_name && `${person.full_name} · `}
                <span className="text-muted">{person.email}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}

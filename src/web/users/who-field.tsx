import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { callApi } from '#web/http/api.ts'
import { USERS_QUERY } from '#web/http/query-client.ts'
import { TextField } from '#web/ui/text-field.tsx'
import { useDebouncedValue } from '#web/ui/use-debounced-value.ts'

interface WhoFieldProps {
  label: string
  placeholder?: string
  /** An e-mail, or the pseudonym of a deleted person; '' for nobody. */
  value: string
  onPick: (who: string) => void
}

/** Names a person by e-mail, which it suggests while one types a name; taken on Enter or when left. */
export function WhoField({ label, placeholder = 'nome ou e-mail', value, onPick }: WhoFieldProps) {
  const id = useId()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const q = useDebouncedValue(text.trim())
  const people = useQuery({
    queryKey: [USERS_QUERY, 'suggestions', q],
    queryFn: ({ signal }) => callApi('GET /api/profiles', { query: { q, limit: 8 }, signal }),
    enabled: q.length > 1 && q !== value,
  }).data?.items
  const pick = (who: string) => {
    if (who !== value) onPick(who)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [only, another] = people ?? []
    // A part of one person's name is enough.
    pick(only && !another ? only.email : text.trim())
  }
  return (
    <form onSubmit={submit} className="min-w-0 flex-1 basis-52">
      <TextField
        label={label}
        value={text}
        list={id}
        spellCheck={false}
        autoComplete="off"
        placeholder={placeholder}
        onChange={({ target }) => {
          setText(target.value)
          // An entry of the list is taken at once, and so is an emptied field.
          if (target.value === '' || people?.some(({ email }) => email === target.value)) pick(target.value)
        }}
        onBlur={() => pick(text.trim())}
      />
      <datalist id={id}>
        {people?.map(({ email, full_name }) => (
          <option key={email} value={email}>
            {full_name}
          </option>
        ))}
      </datalist>
    </form>
  )
}

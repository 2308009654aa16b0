import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { type Entitlements, LISTS, MAX_LABEL_LENGTH } from '#contract/entitlement-lists.ts'
import { callApi } from '#web/http/api.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { MAX_SEARCH_LENGTH } from '#web/ui/search-field.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useDebouncedValue } from '#web/ui/use-debounced-value.ts'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { accessTemplatesQuery, getLastEntitlements, refreshTemplates } from './access-templates.ts'
import { formatAccess, toEntitlements } from './entitlements.tsx'
import type { FillFromProps } from './fill-from.tsx'
import { fillLists, formatTemplate } from './fill-lists.ts'

const MAX_COLLEAGUES = 5

/** What a source fills, where a dialog shows a part of the lists: the others keep what they have. */
const PARTS = {
  types: { items: 'os tipos', same: 'Mesmos tipos de um colega', rest: 'Marcas e estados não mudam.' },
  marcas: {
    items: 'as marcas e os estados',
    same: 'Mesmas marcas e estados de um colega',
    rest: 'Os tipos não mudam.',
  },
}

const HOWS = [
  { value: 'replace', label: 'Substituir por' },
  { value: 'add', label: 'Acrescentar' },
] as const

/** Fills the checkboxes from a template, a colleague or the last save; the copy stays editable. */
export function FillFromPanel(props: FillFromProps) {
  const { lists, held, ticked, onChange, userId, canBeSaved, canAddOrReplace } = props
  const catalogue = useCatalogue()
  const titleId = useId()
  const { data: templates, isError } = useQuery(accessTemplatesQuery)
  const [open, setOpen] = useState<'colleague' | 'save'>()
  const [note, setNote] = useState('')
  const [how, setHow] = useState<'add' | 'replace'>('replace')
  const part = lists.length < LISTS.length ? PARTS[lists.includes('types') ? 'types' : 'marcas'] : undefined
  const last = getLastEntitlements(lists)
  const applicable = templates?.filter((template) => lists.some((list) => template[list].length > 0))

  const fill = (
    source: Partial<Entitlements>,
    usually: 'add' | 'replace',
    { that, owner }: { that: string; owner: string },
  ) => {
    const mode = canAddOrReplace ? how : usually
    const { ticked: next, archived } = fillLists(catalogue, { lists, held }, ticked, source, mode)
    onChange(next)
    const extent = mode === 'add' ? 'também' : 'só'
    setNote(
      (part ? `Marcados ${extent} ${part.items} ${owner}. ${part.rest}` : `Marcado ${extent} ${that}.`) +
        (archived.length > 0 ? ` De fora, por estar no arquivo: ${archived.join(', ')}.` : ''),
    )
    setOpen(undefined)
  }
  const toggle = (which: 'colleague' | 'save') => ({
    'aria-expanded': open === which,
    onClick: () => setOpen(open === which ? undefined : which),
  })
  return (
    <section aria-labelledby={titleId} className="rounded-lg bg-subtle px-3 py-2 text-sm">
      <div className="flex items-center gap-3">
        <h3 id={titleId} className="shrink-0 text-muted">
          Modelos
        </h3>
        {/* One scrollable line, to avoid layout shift when the templates arrive. */}
        <ul aria-labelledby={titleId} className="flex h-9 min-w-0 items-center gap-2 overflow-x-auto px-0.5">
          {applicable?.map((template) => (
            <li key={template.id} className="shrink-0">
              <button
                type="button"
                title={formatTemplate(catalogue, template)}
                onClick={() =>
                  fill(template, 'add', {
                    that: `o que está no modelo “${template.name}”`,
                    owner: `do modelo “${template.name}”`,
                  })
                }
                className="inline-flex h-7 items-center rounded-full border border-line-strong/50 bg-surface px-3 font-medium hover:border-brand-strong focus-visible:-outline-offset-2"
              >
                {template.name}
              </button>
            </li>
          ))}
          {!templates && !isError && <Skeleton className="h-7 w-40" />}
          {(isError || applicable?.length === 0) && (
            <li className="text-muted">{isError ? 'Não puderam ser lidos agora.' : 'Nenhum ainda.'}</li>
          )}
        </ul>
      </div>
      <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1">
        <button type="button" className={textLinkClasses} {...toggle('colleague')}>
          {part?.same ?? 'Igual a um colega'}
        </button>
        {last && (
          <button
            type="button"
            className={textLinkClasses}
            onClick={() => fill(last, 'replace', { that: 'o mesmo da última vez', owner: 'da última vez' })}
          >
            Os últimos
          </button>
        )}
        {canBeSaved && (
          <button type="button" className={textLinkClasses} {...toggle('save')}>
            Salvar como modelo
          </button>
        )}
      </div>
      {canAddOrReplace && (
        <fieldset className="flex flex-wrap items-center gap-x-4">
          <legend className="float-left mr-2 text-muted max-sm:sr-only">Ao copiar</legend>
          {HOWS.map(({ value, label }) => (
            <label key={value} className="inline-flex min-h-9 cursor-pointer items-center gap-2">
              <input
                type="radio"
                name={titleId}
                checked={how === value}
                onChange={() => setHow(value)}
                className="tick size-4 cursor-pointer"
              />
              {label}
            </label>
          ))}
        </fieldset>
      )}
      <p aria-live="polite" className="text-muted">
        {note}
      </p>
      {open === 'colleague' && (
        <Colleagues
          userId={userId}
          onChoose={(name, has) => fill(has, 'replace', { that: `o que ${name} tem`, owner: `de ${name}` })}
        />
      )}
      {open === 'save' && (
        <SaveAsTemplate
          ticked={ticked}
          onSaved={() => {
            setOpen(undefined)
            setNote('')
          }}
        />
      )}
    </section>
  )
}

/** Makes Enter press the adjacent button instead of submitting the dialog's form. */
function InsideForm({ onEnter, children }: { onEnter: () => void; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only handles keys of its field
    <div
      className="space-y-2 pt-2 pb-1"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        onEnter()
      }}
    >
      {children}
    </div>
  )
}

interface ColleaguesProps {
  userId: string | undefined
  onChoose: (name: string, has: Entitlements) => void
}

function Colleagues({ userId, onChoose }: ColleaguesProps) {
  const catalogue = useCatalogue()
  const [typed, setTyped] = useState('')
  const q = useDebouncedValue(typed.trim())
  const { data, error } = useQuery({
    queryKey: ['colleagues', q],
    queryFn: async ({ signal }) => {
      const query = { q, approved: true, sort: 'full_name', limit: MAX_COLLEAGUES + 1 } as const
      return (await callApi('GET /api/profiles', { query, signal })).items
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const found =
    q === '' ? undefined : data?.filter(({ user_id }) => user_id !== userId).slice(0, MAX_COLLEAGUES)
  const choose = (person = found?.[0]) =>
    person && onChoose(person.full_name ?? person.email, toEntitlements(catalogue, person))
  return (
    <InsideForm onEnter={() => found?.length === 1 && choose()}>
      <TextField
        autoFocus
        type="search"
        maxLength={MAX_SEARCH_LENGTH}
        label="Colega, por nome ou e-mail"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        error={error?.message}
      />
      <p role="status" className={found?.length === 0 ? 'text-muted' : 'sr-only'}>
        {found && (found.length === 0 ? 'Ninguém aprovado com este nome.' : `${found.length} encontrados`)}
      </p>
      {found && found.length > 0 && (
        <ul aria-label="Colegas encontrados" className="divide-y divide-line">
          {found.map((person) => (
            <li key={person.user_id}>
              <button
                type="button"
                onClick={() => choose(person)}
                className="grid w-full gap-x-4 rounded-md px-2 py-1.5 text-left hover:bg-surface focus-visible:-outline-offset-2 sm:grid-cols-2"
              >
                <span className="min-w-0">
                  <span className="block truncate font-medium">{person.full_name ?? person.email}</span>
                  {person.full_name && <span className="block truncate text-muted">{person.email}</span>}
                </span>
                <span className="text-muted">{formatAccess(toEntitlements(catalogue, person))}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </InsideForm>
  )
}

function SaveAsTemplate({ ticked, onSaved }: { ticked: Entitlements; onSaved: () => void }) {
  const catalogue = useCatalogue()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const { submit, isBusy } = useSubmit({
    send: () => retryCall('POST /api/access-templates', { body: { name: name.trim(), ...ticked } }),
    async onDone(template) {
      await refreshTemplates().catch(() => {})
      showToast({ kind: 'success', title: `Modelo “${template.name}” salvo` })
      onSaved()
    },
    onFailed(failure) {
      const [field] = toFieldErrors(failure)
      setError(field?.message)
      if (!field) showToast(toFailureToast('Não foi possível salvar o modelo', failure))
    },
  })
  const save = () => void submit()
  return (
    <InsideForm onEnter={save}>
      <TextField
        autoFocus
        label="Nome do modelo"
        placeholder="Vendedor FIAT RJ"
        autoComplete="off"
        maxLength={MAX_LABEL_LENGTH}
        value={name}
        error={error}
        hint={formatTemplate(catalogue, ticked) || 'Nada marcado ainda.'}
        onChange={({ target }) => {
          setName(target.value)
          setError(undefined)
        }}
      />
      <Button variant="secondary" isBusy={isBusy} onClick={save}>
        Salvar modelo
      </Button>
    </InsideForm>
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ACTION_GROUPS, NOT_PEOPLE, type TrailEntry, type TrailFilter } from '#contract/audit.ts'
import { ACCESS_ACTIONS, AUDIT_ACTIONS } from '#contract/audit-actions.ts'
import { formatPseudonym, parsePseudonym } from '#contract/describe-access.ts'
import { describeChange, formatState, nameAction, nameNobody } from '#contract/describe-change.ts'
import { isDay, toSaoPauloDay } from '#contract/user-rules.ts'
import { callApi, withAccessToken } from '#web/http/api.ts'
import { listChoices, useCatalogue } from '#web/http/catalogue-query.ts'
import { saveFile } from '#web/http/save-file.ts'
import { fetchReply, isDefiniteRefusal, readFailure } from '#web/http/send-request.ts'
import { EntryActions } from '#web/session/entry-actions.tsx'
import { useSession } from '#web/session/session.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Alert, FailedLoad, Sentence } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { DateField } from '#web/ui/date-field.tsx'
import { formatFileDate, formatInstant } from '#web/ui/format-instant.ts'
import { listClasses } from '#web/ui/list-card.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { Picker } from '#web/ui/picker.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { FiltersButton } from './filters-button.tsx'
import { WhoField } from './who-field.tsx'

type Action = NonNullable<TrailFilter['action']>

const GROUPS: Record<(typeof ACTION_GROUPS)[number], string> = {
  acts: 'Tudo o que mudou',
  accesses: 'Entradas e relatórios',
  refusals: 'Entradas recusadas',
  exports: 'Dados que saíram',
  catalogue: 'Áreas, marcas e estados',
  settings: 'Configuração de relatórios',
}
const ACTIONS: readonly { value: Action; label: string }[] = [
  ...ACTION_GROUPS.map((value) => ({ value, label: GROUPS[value] })),
  ...[...AUDIT_ACTIONS, ...ACCESS_ACTIONS]
    .map((value) => ({ value, label: nameAction(value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, 'pt-BR')),
]
/** A million entries over a slow line. */
const EXPORT_TIMEOUT_MS = 10 * 60_000

/** /admin/auditoria, 'Auditoria': everything that was done and seen, by filters in the address. */
export function AuditScreen() {
  const { filter, ignored } = parseFilter(useSearch({ from: '/signed-in/administrators/admin/auditoria' }))
  return (
    <AdminPage
      isWide
      title="Auditoria"
      intro="O que administradores e pessoas fizeram, quem entrou, quem abriu cada relatório e o que o portal fez sozinho."
      action={<AuditLinks />}
    >
      <Filters filter={filter} />
      {ignored.length > 0 && (
        <Alert kind="warning" title={`Esta tela não entende o que o endereço pede em: ${ignored.join(', ')}`}>
          O resto vale. Escolha o que falta nos filtros.
        </Alert>
      )}
      <Trail filter={filter} />
    </AdminPage>
  )
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isDate = (value: unknown) => typeof value === 'string' && isDay(value)
const CHECKS: Record<keyof TrailFilter, (value: unknown) => boolean> = {
  person: isText,
  actor: isText,
  area: isText,
  from: isDate,
  to: isDate,
  batch: isText,
  action: (value) => ACTIONS.some((each) => each.value === value),
}
/** The words of the command `trail`, as one may write them in an address. */
const COMMAND_WORDS: Record<string, string> = { since: 'from', until: 'to' }

/** Keeps what is a filter in an address, which may be old or typed, and names the rest. */
function parseFilter(search: Record<string, unknown>): { filter: TrailFilter; ignored: string[] } {
  const named = Object.entries(search).map(([name, value]) => [COMMAND_WORDS[name] ?? name, value] as const)
  const isKnown = ([name, value]: (typeof named)[number]) =>
    Object.hasOwn(CHECKS, name) && CHECKS[name as keyof TrailFilter](value)
  const ignored = named.filter((each) => each[1] !== undefined && !isKnown(each)).map(([name]) => name)
  return { filter: Object.fromEntries(named.filter(isKnown)), ignored }
}

/** Links the two screens of an audit. */
export function AuditLinks() {
  return (
    <nav aria-label="Auditoria" className="flex gap-1 text-sm">
      {(
        [
          ['/admin/auditoria', 'O que aconteceu'],
          ['/admin/auditoria/acesso', 'Quem vê o quê'],
        ] as const
      ).map(([to, label]) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: 'bg-subtle text-brand-strong' }}
          inactiveProps={{ className: 'text-muted hover:bg-subtle hover:text-ink' }}
          className="flex h-11 items-center rounded-lg px-3 font-medium sm:h-9"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

function Filters({ filter }: { filter: TrailFilter }) {
  const navigate = useNavigate()
  const catalogue = useCatalogue()
  const [isOpen, setIsOpen] = useState(false)
  const [exporting, setExporting] = useState<'csv' | 'jsonl'>()
  const change = (changed: Partial<TrailFilter>) => {
    const search = Object.fromEntries(Object.entries({ ...filter, ...changed }).filter(([, value]) => value))
    void navigate({ to: '/admin/auditoria', search, replace: true })
  }
  const download = async (format: 'csv' | 'jsonl') => {
    setExporting(format)
    await exportTrail(filter, format)
    setExporting(undefined)
  }
  const count = Object.keys(filter).length
  return (
    <section aria-label="Filtros" className="flex flex-wrap items-center gap-3 max-sm:gap-2">
      <FiltersButton
        count={count}
        isOpen={isOpen}
        onToggle={() => setIsOpen(!isOpen)}
        className="sm:hidden"
      />
      <div
        id="filtros"
        className={classNames(
          'gap-3 sm:contents',
          isOpen ? 'max-sm:order-last max-sm:grid max-sm:basis-full' : 'max-sm:hidden',
        )}
      >
        <div className="flex basis-full flex-wrap items-start gap-3">
          <WhoField
            label="Pessoa"
            value={filter.person ?? ''}
            parseOther={parsePseudonym}
            onPick={(person) => change({ person })}
          />
          <WhoField
            label="Quem fez"
            placeholder="nome, e-mail ou portal"
            value={filter.actor ?? ''}
            parseOther={(text) =>
              NOT_PEOPLE.find((each) => each === text.toLowerCase()) ?? parsePseudonym(text)
            }
            onPick={(actor) => change({ actor })}
          />
          <DayField label="De" value={filter.from} onPick={(from) => change({ from })} />
          <DayField label="Até" value={filter.to} onPick={(to) => change({ to })} />
        </div>
        <div className="flex flex-wrap gap-3">
          <Picker
            title="Ato"
            every="todos"
            options={ACTIONS}
            value={filter.action}
            onPick={(action) => change({ action })}
          />
          <Picker
            title="Área"
            every="todas"
            options={listChoices(catalogue, 'types')}
            value={filter.area}
            onPick={(area) => change({ area })}
          />
        </div>
      </div>
      {count > 0 && (
        <Link to="/admin/auditoria" className={`text-sm ${textLinkClasses}`}>
          Limpar filtros
        </Link>
      )}
      <div className="flex gap-2 sm:ml-auto">
        {(['csv', 'jsonl'] as const).map((format) => (
          <Button
            key={format}
            variant="secondary"
            isBusy={exporting === format}
            onClick={() => void download(format)}
            className="max-sm:h-11"
          >
            {format === 'csv' ? 'Baixar CSV' : 'Baixar JSON'}
          </Button>
        ))}
      </div>
    </section>
  )
}

/** A day of the address, today at most; what is typed of one does not count yet. */
export function DayField(props: { label: string; value: string | undefined; onPick: (day: string) => void }) {
  const [text, setText] = useState('')
  const getError = (day: string) => {
    if (day !== '' && !isDay(day)) return 'Escreva um dia que exista: dd/mm/aaaa'
    return day > toSaoPauloDay(Date.now()) ? 'Escolha hoje ou um dia que já passou' : undefined
  }
  const error = getError(text)
  return (
    <DateField
      label={props.label}
      min="2020-01-01"
      // Otherwise what the address has, which may have changed: the answer is of that day.
      value={error ? text : (props.value ?? '')}
      error={error}
      className="w-40 max-sm:grow"
      onChange={(day) => {
        setText(day)
        if (!getError(day)) props.onPick(day)
      }}
    />
  )
}

async function exportTrail(filter: TrailFilter, format: 'csv' | 'jsonl'): Promise<void> {
  try {
    const file = await withAccessToken(async (accessToken) => {
      const input = { query: { ...filter, format }, timeoutMs: EXPORT_TIMEOUT_MS }
      const response = await fetchReply('GET /api/audit/export', input, accessToken)
      if (!response.ok) throw await readFailure(response)
      return response.blob()
    })
    const name = `auditoria-${formatFileDate(new Date())}.${format}`
    saveFile(name, file)
    showToast({ kind: 'success', title: 'Auditoria exportada', description: name })
  } catch (error) {
    showToast(toFailureToast('Erro ao exportar a auditoria', error))
  }
}

function Trail({ filter }: { filter: TrailFilter }) {
  const trail = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      callApi('GET /api/audit', { query: { ...filter, cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  })
  const reader = useSession()?.user.email
  const { data, error, isFetching, hasNextPage, fetchNextPage } = trail
  // Nobody or no area of that name in an address: a retry would not help.
  if (!data && isDefiniteRefusal(error)) return <FailedLoad kind="warning">{error.message}</FailedLoad>
  if (!data)
    return <NotLoaded query={trail} failed="A auditoria não pôde ser lida agora." skeleton="h-[48rem]" />
  const entries = data.pages.flatMap(({ items }) => items)
  if (entries.length === 0)
    return (
      <p className="py-12 text-center text-muted">
        Nada registrado com estes filtros. Amplie o período ou limpe os filtros.
      </p>
    )
  return (
    <>
      <ol aria-label="Registros, do mais recente para o mais antigo" className={listClasses}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <Entry entry={entry} reader={reader} />
          </li>
        ))}
      </ol>
      {error && (
        <FailedLoad onRetry={() => void fetchNextPage()} isRetrying={isFetching}>
          {error.message}
        </FailedLoad>
      )}
      {hasNextPage && !error && (
        <Button variant="secondary" isBusy={isFetching} onClick={() => void fetchNextPage()}>
          Mostrar mais antigos
        </Button>
      )}
    </>
  )
}

/** Refused sign-ins are counted by the hour: '25/11/2026, 14:00 a 15:00'. */
const formatHour = (at: string) =>
  `${formatInstant(at)} a ${formatInstant(new Date(Date.parse(at) + 3_600_000).toISOString()).slice(-5)}`

function Entry({ entry, reader }: { entry: TrailEntry; reader: string | undefined }) {
  const { at, actor_id, actor_email, target_id, target_email, before, after, ip, user_agent, action } = entry
  const { people, batch } = entry
  const isOther = target_id !== null && target_id !== actor_id
  const who = people
    ? `${people.toLocaleString('pt-BR')} pessoas`
    : (target_email ?? (target_id && formatPseudonym(target_id)))
  const details: [string, string | null][] = [
    ['Quem fez', actor_email ?? (actor_id ? formatPseudonym(actor_id) : nameNobody(entry))],
    [people ? 'Pessoas' : 'Pessoa', who],
    // Of a bulk act they differ from person to person.
    ['Antes', batch ? null : formatState(before)],
    ['Depois', batch ? null : formatState(after)],
    ['De onde', [ip, user_agent].filter(Boolean).join(' · ')],
    ['Código', action],
  ]
  return (
    <details>
      <summary className="grid cursor-pointer gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-canvas focus-visible:-outline-offset-2 sm:grid-cols-[9.5rem_minmax(0,1fr)] sm:px-6">
        <time dateTime={at} className="text-muted tabular-nums">
          {action === 'sign-in-refused' ? formatHour(at) : formatInstant(at)}
        </time>
        <span className="min-w-0 break-words">
          <Sentence text={describeChange(entry, reader)} />
          {isOther && <span className="text-muted"> · {who}</span>}
        </span>
      </summary>
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-1 border-line border-t bg-canvas px-4 py-3 sm:pl-[12rem]">
        {details.map(
          ([label, text]) =>
            text && (
              <div key={label} className="contents">
                <dt className="text-muted">{label}</dt>
                <dd className="break-words">{text}</dd>
              </div>
            ),
        )}
        <dt className="sr-only">Filtros</dt>
        <dd className="col-start-2 flex flex-wrap gap-x-4">
          {target_id && !batch && (
            <FilterLink search={{ person: target_email ?? target_id }}>Tudo sobre esta pessoa</FilterLink>
          )}
          {actor_id && (
            <FilterLink search={{ actor: actor_email ?? actor_id }}>Outros atos de quem fez</FilterLink>
          )}
          {batch && <FilterLink search={{ batch }}>Ver pessoa por pessoa</FilterLink>}
          <EntryActions entry={entry} />
        </dd>
      </dl>
    </details>
  )
}

function FilterLink({ search, children }: { search: TrailFilter; children: string }) {
  return (
    <Link to="/admin/auditoria" search={search as Record<string, string>} className={textLinkClasses}>
      {children}
    </Link>
  )
}

import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { accessReviewRoutes, Holder, Reviewable } from '#contract/access-reviews.ts'
import type { auditRoutes } from '#contract/audit.ts'
import { type ChangeNotes, describeNotes, noteChanges } from '#contract/change-notes.ts'
import { toCsv } from '#contract/csv.ts'
import { foldText, LISTS, listSpellings } from '#contract/entitlement-lists.ts'
import type { BodyOf, ReplyOf } from '#contract/route.ts'
import { hasPassed } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient, READ_ONCE } from '#web/http/query-client.ts'
import { isConflict, isGone } from '#web/http/send-request.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { getSession } from '#web/session/session.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox, toggleValue } from '#web/ui/choices.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { formatDate, formatDay, formatFileDate } from '#web/ui/format-instant.ts'
import { listClasses } from '#web/ui/list-card.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { SelectField } from '#web/ui/select-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { NoteLines } from './change-notes.tsx'
import { downloadFile } from './export-data.ts'
import { formatCount } from './selection.ts'

type Kind = Reviewable['kind']

export const KINDS = { types: 'Área', marcas: 'Marca' }

export const reviewsQuery = queryOptions({
  queryKey: ['access-reviews'],
  queryFn: ({ signal }) => callApi('GET /api/access-reviews', { signal }),
})

export const formatResult = ({ kept, removed }: { kept: number; removed: number }) =>
  `${formatCount(kept, 'mantido', 'mantidos')}, ${formatCount(removed, 'removido', 'removidos')}`

/** Saves people whom the screen shows as CSV, once the trail has it. */
export async function saveCsv(
  download: BodyOf<typeof auditRoutes.recordDownload>,
  name: string,
  day: Date,
  lines: readonly (readonly string[])[],
): Promise<void> {
  try {
    await callApi('POST /api/audit/downloads', { body: download })
    downloadFile(`${name}-${formatFileDate(day)}.csv`, toCsv(lines), 'text/csv')
  } catch (error) {
    showToast(toFailureToast('Erro ao baixar', error))
  }
}

/** Of this administrator: another one in the same browser starts anew. */
const marksKey = (kind: Kind, code: string) => `patio.review.${getSession()?.user.id}.${kind}.${code}`

/** Returns the ids of the people who were marked to lose it in a review that was not finished. */
export function readMarks(kind: Kind, code: string): string[] {
  return sharedStorage.get(marksKey(kind, code))?.split(' ') ?? []
}

function storeMarks(kind: Kind, code: string, ids: readonly string[]): void {
  if (ids.length > 0) sharedStorage.set(marksKey(kind, code), ids.join(' '))
  else sharedStorage.remove(marksKey(kind, code))
}

const ORDERS = [
  { value: 'name', label: 'Nome' },
  { value: 'seen', label: 'Último acesso, mais antigo primeiro' },
  { value: 'since', label: 'Desde quando, mais novo primeiro' },
]
type Order = 'name' | 'seen' | 'since'

const compare: Record<Order, (a: Holder, b: Holder) => number> = {
  name: (a, b) => (a.full_name ?? a.email).localeCompare(b.full_name ?? b.email, 'pt-BR'),
  seen: (a, b) => (a.last_sign_in_at ?? '').localeCompare(b.last_sign_in_at ?? ''),
  since: (a, b) => (b.since ?? '').localeCompare(a.since ?? ''),
}

/** One review: who has an area or a brand, and who is to lose it. What is marked is kept until the end. */
export function AccessReview({ kind, code }: { kind: Kind; code: string }) {
  const navigate = useNavigate()
  const holders = useQuery({
    queryKey: ['access-review', kind, code],
    queryFn: ({ signal }) =>
      callApi('GET /api/access-reviews/{kind}/{code}', { params: { kind, code }, signal }),
    ...READ_ONCE,
  })
  const { data } = holders
  const [ticked, setTicked] = useState<readonly string[]>(() => readMarks(kind, code))
  const [isAsking, setIsAsking] = useState(false)
  const [q, setQ] = useState('')
  const [order, setOrder] = useState<Order>('name')
  const name = `${KINDS[kind]} ${data?.label ?? ''}`
  // The list may have been refetched without some of the ticked people.
  const remove = ticked.filter((userId) => data?.people.some(({ user_id }) => user_id === userId))
  const mark = (ids: readonly string[]) => {
    setTicked(ids)
    storeMarks(kind, code, ids)
  }
  const notes = data && noteRemoval(data, remove)
  const { submit, isBusy } = useSubmit({
    send: () =>
      retryCall('POST /api/access-reviews/{kind}/{code}', {
        params: { kind, code },
        body: { fingerprint: data?.fingerprint ?? '', remove },
      }),
    async onDone(result) {
      storeMarks(kind, code, [])
      await queryClient.invalidateQueries(reviewsQuery)
      announceUndoable(
        {
          kind: 'success',
          title: `Revisão registrada: ${name}`,
          description: `${formatResult(result)}. ${describeNotes(notes)}`.trim(),
        },
        result,
      )
      await navigate({ to: '/admin/revisoes' })
    },
    async onFailed(failure) {
      setIsAsking(false)
      showToast(toFailureToast('Não foi possível registrar a revisão', failure))
      if (isConflict(failure) || isGone(failure)) await holders.refetch()
    },
  })
  if (!data)
    return <NotLoaded query={holders} failed="Não foi possível ler quem tem este acesso." skeleton="h-96" />
  const result = { kept: data.people.length - remove.length, removed: remove.length }
  const isNew = ({ since }: Holder) => data.reviewed_at !== null && since !== null && since > data.reviewed_at
  const wanted = foldText(q)
  const shown = data.people
    .filter(({ email, full_name }) => foldText(`${full_name} ${email}`).includes(wanted))
    .toSorted(compare[order])
  return (
    <section aria-labelledby="em-revisao" className="space-y-4">
      <div className="flex flex-wrap items-end gap-x-3 gap-y-3">
        <h2 id="em-revisao" className="w-full font-semibold text-lg">
          {name}: {formatCount(data.people.length, 'pessoa tem', 'pessoas têm')} este acesso
        </h2>
        <SearchField
          aria-label="Buscar nesta revisão"
          placeholder="Nome ou e-mail"
          value={q}
          onSearch={setQ}
          throttleMs={0}
          className="min-w-0 flex-1 basis-56 [&_input]:h-11"
        />
        <SelectField
          label="Ordem"
          options={ORDERS}
          value={order}
          onChange={(value) => setOrder(value as Order)}
        />
        <Button
          variant="secondary"
          className="h-11"
          onClick={() =>
            void saveCsv(
              { what: 'review', item: code },
              `acesso-${code}`,
              new Date(),
              toLines(shown, remove, isNew),
            )
          }
        >
          Baixar CSV
        </Button>
      </div>
      {shown.length > 0 && (
        <ul aria-labelledby="em-revisao" className={listClasses}>
          {shown.map((person) => (
            <HolderRow
              key={person.user_id}
              person={person}
              kind={kind}
              isNew={isNew(person)}
              isTicked={ticked.includes(person.user_id)}
              onToggle={() => !isBusy && mark(toggleValue(ticked, person.user_id))}
            />
          ))}
        </ul>
      )}
      {shown.length === 0 && wanted && (
        <p className="rounded-xl border border-line border-dashed px-6 py-10 text-center text-muted text-sm">
          Ninguém com este acesso corresponde à busca.
        </p>
      )}
      <div className="sticky bottom-0 -mx-4 flex flex-wrap items-center justify-end gap-3 border-line border-t bg-canvas px-4 py-3">
        <p className="mr-auto text-sm tabular-nums max-sm:w-full">
          <span role="status">{formatResult(result)}</span>
          {remove.length > 0 && (
            <span className="block text-muted text-xs">
              O que você marcou fica guardado neste navegador até concluir.
            </span>
          )}
        </p>
        {remove.length > 0 && (
          <Button variant="secondary" onClick={isBusy ? undefined : () => mark([])}>
            Limpar marcas
          </Button>
        )}
        <Button isBusy={isBusy} onClick={() => setIsAsking(true)}>
          Concluir revisão
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={
            remove.length > 0
              ? `Remover ${data.label} de ${formatCount(remove.length, 'pessoa', 'pessoas')}?`
              : `Manter ${data.label} para ${formatCount(result.kept, 'pessoa', 'pessoas')}?`
          }
          description={`${formatResult(result)}. A revisão fica registrada em seu nome.`}
          confirmLabel="Concluir revisão"
          isBusy={isBusy}
          onConfirm={() => void submit()}
          onCancel={() => setIsAsking(false)}
        >
          {remove.length > 0 && <NoteLines notes={notes} />}
        </ConfirmDialog>
      )}
    </section>
  )
}

/** What is worth saying of taking the access from these people. */
function noteRemoval(
  review: ReplyOf<typeof accessReviewRoutes.readHolders>,
  ids: readonly string[],
): ChangeNotes {
  const { kind, code, label } = review
  const taken = kind === 'types' ? listSpellings(label) : [code]
  const people = review.people.filter(({ user_id }) => ids.includes(user_id))
  const self = getSession()?.user.id
  return {
    ...noteChanges(
      people.map((person) => ({
        names: [person.full_name ?? person.email],
        before: person,
        after: { [kind]: person[kind].filter((item) => !taken.includes(item)) },
      })),
    ),
    includesSelf: people.some(({ user_id }) => user_id === self),
    admins: people.filter(({ user_id, admin }) => admin && user_id !== self).length,
    unapproved: people.filter(({ approved }) => !approved).length,
  }
}

function toLines(people: readonly Holder[], remove: readonly string[], isNew: (person: Holder) => boolean) {
  const day = (instant: string | null) => (instant ? formatDay(instant) : '')
  return [
    ['E-mail', 'Nome', 'Último acesso', 'Desde', 'Novo', 'Áreas', 'Marcas', 'Estados', 'Marcado'],
    ...people.map((person) => [
      person.email,
      person.full_name ?? '',
      day(person.last_sign_in_at) || 'Nunca',
      day(person.since),
      isNew(person) ? 'Sim' : '',
      ...LISTS.map((list) => person[list].join(', ')),
      remove.includes(person.user_id) ? 'Remover' : '',
    ]),
  ]
}

interface HolderRowProps {
  person: Holder
  kind: Kind
  /** Whether the person got it after the last review. */
  isNew: boolean
  isTicked: boolean
  onToggle: () => void
}

function HolderRow({ person, kind, isNew, isTicked, onToggle }: HolderRowProps) {
  const { email, full_name, approved, valid_until, last_sign_in_at, since } = person
  const state = !approved
    ? 'sem aprovação'
    : valid_until &&
      (hasPassed(valid_until, Date.now()) ? 'acesso encerrado em ' : 'válido até ') + formatDate(valid_until)
  const others = LISTS.filter((list) => list !== kind).map((list) => person[list].join(', ') || 'nenhum')
  const removedClasses = isTicked ? 'text-muted line-through' : ''
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-1 px-4 py-2.5 [contain-intrinsic-size:auto_4rem] [content-visibility:auto] sm:px-6">
      {/* On a phone the checkbox stays next to the name; everything else takes a whole line. */}
      <div className="min-w-0 flex-1 basis-60 break-words max-sm:contents">
        <p className={`font-medium max-sm:min-w-0 max-sm:flex-1 ${removedClasses}`}>
          {full_name ?? email}
          {isNew && (
            <span className="ml-2 inline-block rounded-full bg-info-soft px-2 py-0.5 font-medium text-info text-xs">
              Novo desde a última revisão
            </span>
          )}
        </p>
        {full_name && (
          <p className={`text-muted text-xs max-sm:order-last max-sm:w-full ${removedClasses}`}>{email}</p>
        )}
      </div>
      <div className="text-muted text-xs tabular-nums max-sm:order-last max-sm:w-full sm:basis-80">
        <p className="text-ink">{others.join(' · ')}</p>
        <p>
          Último acesso: {last_sign_in_at ? formatDay(last_sign_in_at) : 'nunca'} ·{' '}
          {since ? `desde ${formatDay(since)}` : 'desde antes do histórico'}
          {state && ` · ${state}`}
        </p>
      </div>
      <Checkbox
        label="Remover"
        aria-label={`Remover de ${email}`}
        className="max-sm:-my-2"
        checked={isTicked}
        onChange={onToggle}
      />
    </li>
  )
}

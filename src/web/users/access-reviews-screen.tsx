import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Holder, Reviewable } from '#contract/access-reviews.ts'
import { hasPassed } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient, READ_ONCE } from '#web/http/query-client.ts'
import { isConflict, isGone } from '#web/http/send-request.ts'
import { useLeaveGuard } from '#web/session/leave-guard.tsx'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Button } from '#web/ui/button.tsx'
import { Checkbox, toggleValue } from '#web/ui/choices.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { formatDate, formatDay } from '#web/ui/format-instant.ts'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { retryCall } from './retry-call.ts'
import { formatCount } from './selection.ts'

const reviewsQuery = queryOptions({
  queryKey: ['access-reviews'],
  queryFn: ({ signal }) => callApi('GET /api/access-reviews', { signal }),
})

const KINDS = { types: 'Área', marcas: 'Marca' }
const listClasses = 'divide-y divide-line rounded-xl border border-line bg-surface text-sm shadow-xs'

/** /admin/revisoes, 'Revisão de acessos': keeps or removes each person's access to an area or brand. */
export function AccessReviewsScreen() {
  const [chosen, setChosen] = useState<Reviewable>()
  return (
    <AdminPage title="Revisão de acessos">
      {chosen ? (
        <Review key={chosen.code} item={chosen} onClose={() => setChosen(undefined)} />
      ) : (
        <Overview onChoose={setChosen} />
      )}
    </AdminPage>
  )
}

function Overview({ onChoose }: { onChoose: (item: Reviewable) => void }) {
  const reviews = useQuery(reviewsQuery)
  const { data } = reviews
  if (!data)
    return <NotLoaded query={reviews} failed="As revisões não puderam ser lidas agora." skeleton="h-96" />
  return (
    <>
      <p className="max-w-prose text-muted text-sm">
        Escolha uma área ou uma marca, confira quem a tem e diga quem continua. O que nunca foi revisado, ou
        há mais tempo, vem primeiro.
      </p>
      <ul aria-label="O que revisar" className={listClasses}>
        {data.items.map((item) => (
          <li key={`${item.kind} ${item.code}`} className="flex items-center gap-x-6 px-4 py-3 sm:px-6">
            <div className="min-w-0 flex-1">
              <h2 className="break-words font-medium">
                <span className="font-normal text-muted">{KINDS[item.kind]}</span> {item.label}
              </h2>
              <p className="text-muted">
                {formatCount(item.people, 'pessoa', 'pessoas')} ·{' '}
                {item.last ? (
                  `Revisada em ${formatDay(item.last.reviewed_at)}`
                ) : (
                  <span className="text-warning">Nunca revisada</span>
                )}
              </p>
            </div>
            <Button
              variant="secondary"
              aria-label={`Revisar: ${KINDS[item.kind]} ${item.label}`}
              onClick={() => onChoose(item)}
            >
              Revisar
            </Button>
          </li>
        ))}
      </ul>
      {data.past.length > 0 && (
        <section aria-labelledby="revisoes-feitas" className="space-y-3">
          <h2 id="revisoes-feitas" className="font-semibold text-lg">
            Revisões feitas
          </h2>
          <ul aria-labelledby="revisoes-feitas" className={listClasses}>
            {data.past.map((review) => (
              <li key={review.id} className="px-4 py-3 sm:px-6">
                <p className="font-medium">
                  {formatDay(review.reviewed_at)} · {KINDS[review.kind]} {review.label}
                </p>
                <p className="break-words text-muted">
                  {formatResult(review)} · {review.reviewer_email ?? 'Alguém cuja conta foi excluída'}
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const formatResult = ({ kept, removed }: { kept: number; removed: number }) =>
  `${formatCount(kept, 'mantido', 'mantidos')}, ${formatCount(removed, 'removido', 'removidos')}`

function Review({ item, onClose }: { item: Reviewable; onClose: () => void }) {
  const { kind, code } = item
  const name = `${KINDS[kind]} ${item.label}`
  const holders = useQuery({
    queryKey: ['access-review', kind, code],
    queryFn: ({ signal }) =>
      callApi('GET /api/access-reviews/{kind}/{code}', { params: { kind, code }, signal }),
    ...READ_ONCE,
  })
  const { data } = holders
  const [ticked, setTicked] = useState<readonly string[]>([])
  const [isAsking, setIsAsking] = useState(false)
  // The list may have been refetched without some of the ticked people.
  const remove = ticked.filter((userId) => data?.people.some(({ user_id }) => user_id === userId))
  const { submit, isBusy } = useSubmit({
    send: () =>
      retryCall('POST /api/access-reviews/{kind}/{code}', {
        params: { kind, code },
        body: { fingerprint: data?.fingerprint ?? '', remove },
      }),
    async onDone(result) {
      await queryClient.invalidateQueries(reviewsQuery)
      showToast({ kind: 'success', title: `Revisão registrada: ${name}`, description: formatResult(result) })
      onClose()
    },
    async onFailed(failure) {
      setIsAsking(false)
      showToast(toFailureToast('Não foi possível registrar a revisão', failure))
      if (isConflict(failure) || isGone(failure)) await holders.refetch()
    },
  })
  const { ask, dialog } = useLeaveGuard(remove.length > 0, {
    title: 'Descartar o que você marcou?',
    description: 'Nada foi alterado ainda.',
    confirmLabel: 'Descartar',
    cancelLabel: 'Continuar revisando',
  })
  const cancel = async () => {
    if (remove.length === 0 || !(await ask())) onClose()
  }
  if (!data)
    return <NotLoaded query={holders} failed="Não foi possível ler quem tem este acesso." skeleton="h-96" />
  const result = { kept: data.people.length - remove.length, removed: remove.length }
  return (
    <section aria-labelledby="em-revisao" className="space-y-4">
      <h2 id="em-revisao" className="font-semibold text-lg">
        {name}: {formatCount(data.people.length, 'pessoa tem', 'pessoas têm')} este acesso
      </h2>
      {data.people.length > 0 && (
        <ul aria-labelledby="em-revisao" className={listClasses}>
          {data.people.map((person) => (
            <HolderRow
              key={person.user_id}
              person={person}
              isTicked={ticked.includes(person.user_id)}
              onToggle={() => !isBusy && setTicked(toggleValue(ticked, person.user_id))}
            />
          ))}
        </ul>
      )}
      <div className="sticky bottom-0 -mx-4 flex flex-wrap items-center justify-end gap-3 border-line border-t bg-canvas px-4 py-3">
        <p role="status" className="mr-auto text-sm tabular-nums max-sm:w-full">
          {formatResult(result)}
        </p>
        <Button variant="secondary" onClick={isBusy ? undefined : () => void cancel()}>
          Cancelar
        </Button>
        <Button isBusy={isBusy} onClick={() => (remove.length > 0 ? setIsAsking(true) : void submit())}>
          Concluir revisão
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Remover ${item.label} de ${formatCount(remove.length, 'pessoa', 'pessoas')}?`}
          description={`${formatResult(result)}. A revisão fica registrada em seu nome.`}
          confirmLabel="Concluir revisão"
          isBusy={isBusy}
          onConfirm={() => void submit()}
          onCancel={() => setIsAsking(false)}
        />
      )}
      {dialog}
    </section>
  )
}

interface HolderRowProps {
  person: Holder
  isTicked: boolean
  onToggle: () => void
}

function HolderRow({ person, isTicked, onToggle }: HolderRowProps) {
  const { email, full_name, approved, valid_until, last_sign_in_at, since } = person
  const state = !approved
    ? 'sem aprovação'
    : valid_until &&
      (hasPassed(valid_until, Date.now()) ? 'acesso encerrado em ' : 'válido até ') + formatDate(valid_until)
  const removedClasses = isTicked ? 'text-muted line-through' : ''
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-1 px-4 py-2.5 [contain-intrinsic-size:auto_4rem] [content-visibility:auto] sm:px-6">
      {/* On a phone the checkbox stays next to the name; everything else takes a whole line. */}
      <div className="min-w-0 flex-1 basis-60 break-words max-sm:contents">
        <p className={`font-medium max-sm:min-w-0 max-sm:flex-1 ${removedClasses}`}>{full_name ?? email}</p>
        {full_name && (
          <p className={`text-muted text-xs max-sm:order-last max-sm:w-full ${removedClasses}`}>{email}</p>
        )}
      </div>
      <p className="text-muted text-xs tabular-nums max-sm:order-last max-sm:w-full sm:basis-80">
        Último acesso: {last_sign_in_at ? formatDay(last_sign_in_at) : 'nunca'} ·{' '}
        {since ? `desde ${formatDay(since)}` : 'desde antes do histórico'}
        {state && ` · ${state}`}
      </p>
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

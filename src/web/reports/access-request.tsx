import { queryOptions, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type * as z from 'zod/mini'
import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, foldText, LISTS, type ListName, mapLists } from '#contract/entitlement-lists.ts'
import type { ReplyNamed } from '#contract/index.ts'
import { MAX_NAME_LENGTH, MAX_NOTE_LENGTH } from '#contract/user-rules.ts'
import { accessRequestTextsSchema, reasonTextSchema } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { catalogueQuery, listChoices } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { readDraft, storeDraft, tabStorage } from '#web/session/browser-storage.ts'
import { Alert, FailedLoad, KindIcon } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { CheckboxList } from '#web/ui/choices.tsx'
import { FormAlert } from '#web/ui/form-alert.tsx'
import { formatInstant } from '#web/ui/format-instant.ts'
import { Skeleton } from '#web/ui/loading.tsx'
import { TextArea, TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { toFailureToast } from '#web/ui/use-submit.ts'

const TITLE = 'Pedido de acesso'
const LIST_STYLES: Record<ListName, { title: string; className: string }> = {
  types: { title: 'Áreas', className: 'grid-cols-2 sm:grid-cols-3' },
  marcas: { title: 'Marcas', className: 'grid-cols-3 sm:grid-cols-5' },
  estados: { title: 'Estados', className: 'grid-cols-4 sm:grid-cols-5' },
}

type OwnRequest = ReplyNamed<'GET /api/access-requests/me'>

export const ownRequestQuery = (userId: string) =>
  queryOptions({
    queryKey: ['own-access-request', userId],
    queryFn: ({ signal }) => callApi('GET /api/access-requests/me', { signal }),
    // Requests for more are answered while their page is open.
    staleTime: ({ state }) => (state.data?.held ? 0 : Number.POSITIVE_INFINITY),
  })

interface AccessRequestProps {
  userId: string
  /** The area to tick in a request for more. */
  area?: string | undefined
  /** Replaces the form for people without access. */
  withoutAccess?: ReactNode
}

/**
 * 'Pedido de acesso': asks a person without approval who they are and what access they need, and an
 * approved one what more.
 */
export function AccessRequest({ userId, area, withoutAccess }: AccessRequestProps) {
  const own = useQuery(ownRequestQuery(userId))
  const catalogue = useQuery(catalogueQuery)
  const [data, error] = [own.data, own.error ?? catalogue.error]
  const draftKey = `patio.access-request-draft.${userId}${data?.held ? '.more' : ''}`
  const [isOpened, setIsOpen] = useState<boolean>()
  const isNew = area !== undefined && !data?.request?.types.some((type) => isSameArea(type, area))
  const isOpen = isOpened ?? (isNew || tabStorage.get(draftKey) !== null)
  const close = () => {
    tabStorage.remove(draftKey)
    setIsOpen(false)
  }
  const handleSaved = (saved: OwnRequest) => {
    queryClient.setQueryData(ownRequestQuery(userId).queryKey, saved)
    close()
    showToast({ kind: 'success', title: 'Pedido enviado' })
  }
  if (error && !(data && catalogue.data))
    return (
      <FailedLoad
        title="Não foi possível abrir o pedido"
        onRetry={() => void Promise.all([own.refetch(), catalogue.refetch()])}
        isRetrying={own.isFetching || catalogue.isFetching}
      >
        {error.message}
      </FailedLoad>
    )
  if (!data || !catalogue.data) return <Skeleton className="h-96 rounded-xl" />
  if (!data.held && withoutAccess !== undefined) return withoutAccess
  const Form = data.held ? MoreForm : RequestForm
  return (
    <Card className="space-y-5">
      {data.request && !isOpen ? (
        <SentRequest own={data} request={data.request} onChange={() => setIsOpen(true)} />
      ) : (
        <Form
          area={area}
          draftKey={draftKey}
          own={data}
          catalogue={catalogue.data}
          onSaved={handleSaved}
          onCancel={data.request ? close : undefined}
        />
      )}
    </Card>
  )
}

export const isSameArea = (label: string, wanted: string) => foldText(label) === foldText(wanted.trim())

interface SentRequestProps {
  own: OwnRequest
  request: NonNullable<OwnRequest['request']>
  onChange: () => void
}

function SentRequest({ own, request, onChange }: SentRequestProps) {
  const { workplace, note, requested_at, refused_at, refusal } = request
  const lists = LISTS.map((list) => [LIST_STYLES[list].title, request[list].join(', ')] as const)
  const lines: (readonly [string, ReactNode])[] = [
    ['Nome', own.held ? undefined : own.full_name],
    ['Onde trabalha', workplace],
    ...lists,
    [own.held ? 'Motivo' : 'Observação', note && <span className="whitespace-pre-line">{note}</span>],
  ]
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="space-y-1">
          <h2 className="flex items-center gap-2 font-semibold text-lg">
            <KindIcon kind={refused_at ? 'warning' : 'success'} />
            {TITLE} {refused_at ? 'recusado' : 'enviado'}
          </h2>
          <p className="text-muted text-sm">
            Em {formatInstant(refused_at ?? requested_at)}.{' '}
            {!refused_at &&
              (own.held
                ? 'A resposta do administrador chega por e-mail, e o que ele liberar aparece nos relatórios.'
                : 'O administrador vê o seu pedido ao aprovar a conta.')}
          </p>
        </div>
        <Button variant="secondary" onClick={onChange}>
          {refused_at ? 'Pedir de novo' : 'Alterar pedido'}
        </Button>
      </div>
      {refusal && (
        <Alert kind="warning" title="Resposta do administrador">
          <p className="whitespace-pre-line">{refusal}</p>
        </Alert>
      )}
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-[9rem_1fr]">
        {lines.map(
          ([term, value]) =>
            value && (
              <div key={term} className="contents">
                <dt className="text-muted max-sm:-mb-2.5">{term}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}

/** Archived items can no longer be requested. */
const listOffered = (catalogue: Catalogue, list: ListName) => listChoices(catalogue, list, [])

type Draft = Entitlements & z.input<typeof accessRequestTextsSchema>

interface RequestFormProps {
  draftKey: string
  area: string | undefined
  own: OwnRequest
  catalogue: Catalogue
  onSaved: (saved: OwnRequest) => void
  onCancel: (() => void) | undefined
}

/** The draft, the lists to choose from and what is ticked; people are offered only what they lack. */
function useRequestLists({ draftKey, area, own, catalogue }: RequestFormProps) {
  const { request, held } = own
  const [draft] = useState(() => readDraft<Draft>(draftKey))
  const updateDraft = (typed: Partial<Draft>) =>
    storeDraft(draftKey, { ...readDraft<Draft>(draftKey), ...typed })
  const offered = mapLists((list) =>
    listOffered(catalogue, list).filter(({ value }) => !held?.[list].includes(value)),
  )
  const [chosen, setTicked] = useState<Entitlements>(() =>
    mapLists((list) => {
      const linked = list === 'types' && area !== undefined ? [area] : []
      const wanted = draft[list] ?? [...(request?.[list] ?? []), ...linked]
      return offered[list].flatMap(({ value }) =>
        wanted.some((each) => isSameArea(value, each)) ? [value] : [],
      )
    }),
  )
  // What was given meanwhile is no longer asked for.
  const ticked = mapLists((list) => chosen[list].filter((item) => !held?.[list].includes(item)))
  const boxes = LISTS.filter((list) => offered[list].length > 0).map((list) => (
    <CheckboxList
      key={list}
      legend={LIST_STYLES[list].title}
      options={offered[list]}
      ticked={ticked[list]}
      onChange={(items) => {
        setTicked({ ...ticked, [list]: items })
        updateDraft({ [list]: items })
      }}
      className={LIST_STYLES[list].className}
    />
  ))
  return { draft, updateDraft, ticked, boxes }
}

function RequestForm(props: RequestFormProps) {
  const { own, onSaved, onCancel } = props
  const { full_name, request } = own
  const { draft, updateDraft, ticked, boxes } = useRequestLists(props)
  const { formProps, submitProps, failure, isBusy, getError } = useForm({
    schema: accessRequestTextsSchema,
    explain: (error) => toFailureToast('Erro ao enviar o pedido', error),
    async send(texts) {
      onSaved(await callApi('PUT /api/access-requests/me', { body: { ...texts, ...ticked } }))
    },
  })
  const onInput = (event: FormEvent<HTMLFormElement>) => {
    formProps.onInput(event)
    const { name, value } = event.target as HTMLInputElement
    if (name in accessRequestTextsSchema.shape) updateDraft({ [name]: value })
  }
  return (
    <form {...formProps} onInput={onInput} aria-label={TITLE} className="space-y-5">
      <div className="space-y-1">
        <h2 className="font-semibold text-lg">{TITLE}</h2>
        <p className="text-muted text-sm">
          Diga quem você é e do que precisa: quem aprova as contas lê este pedido. Só o nome é obrigatório,
          mas áreas, marcas e estados decidem quais relatórios e dados você vê.
        </p>
      </div>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label="Nome"
          name="full_name"
          autoComplete="name"
          defaultValue={draft.full_name ?? full_name ?? ''}
          maxLength={MAX_NAME_LENGTH}
          required
          error={getError('full_name')}
        />
        <TextField
          label="Concessionária ou departamento"
          name="workplace"
          autoComplete="organization"
          defaultValue={draft.workplace ?? request?.workplace ?? ''}
          maxLength={MAX_NAME_LENGTH}
          error={getError('workplace')}
        />
      </div>
      {boxes}
      <TextArea
        label="Observação"
        name="note"
        rows={3}
        defaultValue={draft.note ?? request?.note ?? ''}
        maxLength={MAX_NOTE_LENGTH}
        error={getError('note')}
      />
      <FormAlert failure={failure} />
      <FormButtons submitProps={submitProps} onCancel={isBusy ? undefined : onCancel} />
    </form>
  )
}

function MoreForm(props: RequestFormProps) {
  const { own, onSaved, onCancel } = props
  const { draft, updateDraft, ticked, boxes } = useRequestLists(props)
  const isEmpty = LISTS.every((list) => ticked[list].length === 0)
  const [wasEmpty, setWasEmpty] = useState(false)
  const { formProps, submitProps, failure, isBusy, getError } = useForm({
    schema: reasonTextSchema,
    explain: (error) => toFailureToast('Erro ao enviar o pedido', error),
    async send({ note }) {
      setWasEmpty(isEmpty)
      if (!isEmpty) onSaved(await callApi('PUT /api/access-requests/me', { body: { note, ...ticked } }))
    },
  })
  if (boxes.length === 0)
    return <p className="text-sm">Você já tem todas as áreas, marcas e estados do portal.</p>
  return (
    <form
      {...formProps}
      onInput={(event) => {
        formProps.onInput(event)
        const { name, value } = event.target as HTMLTextAreaElement
        if (name === 'note') updateDraft({ note: value })
      }}
      aria-label={TITLE}
      className="space-y-5"
    >
      <div className="space-y-1">
        <h2 className="font-semibold text-lg">O que falta?</h2>
        <p className="text-muted text-sm">
          Marque o que você ainda não tem e diga por quê: um administrador responde.
        </p>
      </div>
      {boxes}
      <TextArea
        label="Motivo"
        name="note"
        rows={3}
        defaultValue={draft.note ?? own.request?.note ?? ''}
        maxLength={MAX_NOTE_LENGTH}
        required
        error={getError('note')}
      />
      {wasEmpty && isEmpty && <Alert kind="error">Marque ao menos uma área, marca ou estado.</Alert>}
      <FormAlert failure={failure} />
      <FormButtons submitProps={submitProps} onCancel={isBusy ? undefined : onCancel} />
    </form>
  )
}

interface FormButtonsProps {
  submitProps: ReturnType<typeof useForm>['submitProps']
  onCancel: (() => void) | undefined
}

function FormButtons({ submitProps, onCancel }: FormButtonsProps) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {onCancel && (
        <Button variant="secondary" onClick={onCancel}>
          Cancelar
        </Button>
      )}
      <Button {...submitProps}>Enviar pedido</Button>
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import EllipsisVertical from 'lucide-react/icons/ellipsis-vertical'
import Pencil from 'lucide-react/icons/pencil'
import Save from 'lucide-react/icons/save'
import Star from 'lucide-react/icons/star'
import StarOff from 'lucide-react/icons/star-off'
import Trash from 'lucide-react/icons/trash-2'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { foldText } from '#contract/entitlement-lists.ts'
import { MAX_VIEW_NAME_LENGTH, reportViewMessages } from '#contract/messages.ts'
import type { ReportView } from '#contract/report-views.ts'
import { UNDO_SECONDS } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { MenuButton } from '#web/ui/menu.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { ChangedDot } from './changed-dot.tsx'
import { reportViewsQuery, type useOpenViews } from './open-views.ts'

export interface ViewsPanelProps {
  userId: string
  area: string
  /** Undefined for a shared link. */
  reportId: string | undefined
  /** The open view; undefined for the report as published. */
  view: ReportView | undefined
  /** Whether the person has filtered or selected since it opened. */
  isChanged: boolean
  views: Pick<ReturnType<typeof useOpenViews>, 'choose' | 'name'>
  /** Captures what the report shows; undefined while it is not shown, and for a paginated one. */
  captureView: (() => Promise<string>) | undefined
  isPaginated: boolean
  close: () => void
}

/** More views than this are searched. */
const MAX_WITHOUT_SEARCH = 7

/** The saved views of the open report, and what can be done with them. */
export function ViewsPanel(props: ViewsPanelProps) {
  const { userId, area, reportId, view: open, isChanged, views, captureView, isPaginated, close } = props
  const { data, error, isFetching, refetch } = useQuery(reportViewsQuery(userId))
  const [form, setForm] = useState<{ renamed?: ReportView }>()
  const [q, setQ] = useState('')
  if (reportId === undefined || isPaginated)
    return (
      <p className="w-80 max-w-full p-3 text-muted text-sm">
        {reportId === undefined ? reportViewMessages.noneForLinks : reportViewMessages.noneForPaginated}
      </p>
    )
  const all = data?.items.filter((view) => view.area === area && view.reportId === reportId) ?? []
  const own = all.filter(({ owner }) => owner === null)
  const isFound = (name: string) => foldText(name).includes(foldText(q))
  const choose = (id?: string) => {
    close()
    void views.choose(id)
  }
  const group = (title: string, items: readonly ReportView[]) =>
    items.length > 0 && (
      <Group title={title}>
        {items.map((view) => (
          <ViewRow
            key={view.id}
            view={view}
            isOpen={view.id === open?.id}
            isChanged={view.id === open?.id && isChanged}
            onOpen={() => choose(view.id)}
            onRename={() => setForm({ renamed: view })}
            {...{ userId, captureView, onName: views.name }}
          />
        ))}
      </Group>
    )
  if (form)
    return (
      <NameForm
        {...{ userId, area, reportId, captureView, own, onName: views.name }}
        renamed={form.renamed}
        onCancel={() => setForm(undefined)}
        onSaved={close}
      />
    )
  return (
    <div className="w-[26rem] max-w-full">
      {all.length > MAX_WITHOUT_SEARCH && (
        <SearchField
          value={q}
          onSearch={setQ}
          throttleMs={0}
          aria-label="Buscar visão"
          placeholder="Buscar visão"
        />
      )}
      {!data &&
        (error ? (
          <FailedLoad onRetry={() => void refetch()} isRetrying={isFetching}>
            {error.message}
          </FailedLoad>
        ) : (
          <Skeleton className="h-24" />
        ))}
      {/* What is done most stays in view below a long list. */}
      <div className="max-h-[min(24rem,45dvh)] overflow-y-auto">
        {group(
          `Minhas visões de ${area}`,
          own.filter(({ name }) => isFound(name)),
        )}
        {group(
          'Compartilhadas comigo',
          all.filter(({ owner, name }) => owner !== null && isFound(name)),
        )}
      </div>
      <Group title="Do relatório">
        <li>
          <RowButton isOpen={!open && !isChanged} onClick={() => choose()} note="Restaurar filtros">
            Como foi publicado
          </RowButton>
        </li>
      </Group>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t p-2">
        <Button disabled={!captureView} onClick={() => setForm({})}>
          Salvar visão atual
        </Button>
        <p className="text-muted text-xs">com filtros e página</p>
      </div>
    </div>
  )
}

type SaveViewProps = Omit<ViewsPanelProps, 'reportId' | 'view' | 'isChanged' | 'isPaginated'> & {
  reportId: string
}

/** 'Salvar visão atual' by its key, without the list. */
export function SaveViewDialog(props: SaveViewProps) {
  return (
    <Dialog isOpen title="Salvar visão atual" onClose={props.close}>
      <SaveViewForm {...props} />
    </Dialog>
  )
}

/** Names what the report shows now, which becomes the open view. */
export function SaveViewForm({ userId, area, reportId, views, captureView, close }: SaveViewProps) {
  const { data } = useQuery(reportViewsQuery(userId))
  const own = data?.items.filter(
    (view) => view.owner === null && view.area === area && view.reportId === reportId,
  )
  return (
    <NameForm
      {...{ userId, area, reportId, captureView, onName: views.name }}
      own={own ?? []}
      renamed={undefined}
      onCancel={close}
      onSaved={close}
    />
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="px-2 pt-2.5 pb-1 font-semibold text-muted text-xs uppercase tracking-wide">
        {title}
      </h2>
      <ul>{children}</ul>
    </section>
  )
}

interface RowButtonProps {
  id?: string
  isOpen: boolean
  isFirst?: boolean
  isChanged?: boolean
  note?: string | null | undefined
  onClick: () => void
  children: ReactNode
}

function RowButton(props: RowButtonProps) {
  const { id, isOpen, isFirst = false, isChanged = false, note, onClick, children } = props
  return (
    <button
      type="button"
      aria-current={isOpen || undefined}
      onClick={onClick}
      className="flex min-h-10 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-subtle aria-current:bg-subtle aria-current:font-semibold"
    >
      <Star aria-hidden="true" className={isFirst ? 'size-4 shrink-0' : 'invisible size-4 shrink-0'} />
      <span id={id} className="min-w-0 flex-1 truncate">
        {children}
      </span>
      {isChanged && <ChangedDot />}
      {note && <span className="shrink-0 text-muted text-xs">{note}</span>}
    </button>
  )
}

interface ViewRowProps {
  userId: string
  view: ReportView
  isOpen: boolean
  isChanged: boolean
  captureView: (() => Promise<string>) | undefined
  onOpen: () => void
  onRename: () => void
  onName: ViewsPanelProps['views']['name']
}

function ViewRow(props: ViewRowProps) {
  const { userId, view, isOpen, isChanged, captureView, onOpen, onRename, onName } = props
  const { id, name, owner, isDefault, shared } = view
  const nameId = useId()
  const params = { id }
  const change = useSubmit({
    send: async (run: () => Promise<unknown>) => {
      await run()
      await refresh(userId)
    },
    onFailed: (error) => showToast(toFailureToast('A visão não pôde ser alterada', error)),
  })
  async function remove(): Promise<void> {
    await callApi('DELETE /api/report-views/{id}', { params })
    // Its filters are still on the screen.
    const nameAgain = isOpen ? onName(undefined) : undefined
    const { items } = await callApi('GET /api/report-subscriptions')
    const isMailed = items.some(({ viewId, nextRunAt }) => viewId === id && nextRunAt !== null)
    const losses = [
      isMailed && 'O envio por e-mail desta visão também para.',
      owner === null && shared && 'Quem tem o link deixa de abri-la.',
    ]
      .filter(Boolean)
      .join(' ')
    showToast({
      kind: losses ? 'warning' : 'success',
      lifetimeMs: UNDO_SECONDS * 1_000,
      ...(losses && { description: losses }),
      title: owner === null ? `Visão “${name}” excluída` : `Visão “${name}” tirada da lista`,
      action: createUndo(userId, async () => {
        const restored = await (owner === null
          ? callApi('POST /api/report-views/{id}/restore', { params })
          : callApi('GET /api/report-views/{id}', { params }))
        nameAgain?.(restored)
      }),
    })
  }
  const setDefault = () =>
    callApi('PATCH /api/report-views/{id}', { params, body: { isDefault: !isDefault } })
  const run = (action: () => Promise<unknown>) => () => void change.submit(action)
  const actions = [
    ...(captureView
      ? [
          {
            id: 'save',
            label: 'Salvar por cima',
            icon: Save,
            onSelect: run(async () => replaceView(props, { state: await captureView() })),
          },
        ]
      : []),
    { id: 'rename', label: 'Renomear', icon: Pencil, onSelect: onRename },
    isDefault
      ? { id: 'first', label: 'Não abrir primeiro', icon: StarOff, onSelect: run(setDefault) }
      : { id: 'first', label: 'Abrir primeiro', icon: Star, onSelect: run(setDefault) },
  ]
  const label = owner === null ? 'Excluir' : 'Tirar da lista'
  return (
    <li className="flex items-center gap-1">
      <RowButton
        id={nameId}
        isOpen={isOpen}
        isFirst={isDefault}
        isChanged={isChanged}
        note={[isChanged && 'alterada', isDefault ? 'abre primeiro' : owner].filter(Boolean).join(' · ')}
        onClick={onOpen}
      >
        {name}
      </RowButton>
      <MenuButton
        label="Mais ações"
        describedBy={nameId}
        items={[
          ...(owner === null ? actions : []),
          { id: 'remove', label, icon: Trash, isDanger: owner === null, onSelect: run(remove) },
        ]}
        className="inline-flex size-10 shrink-0 items-center justify-center rounded-md text-muted hover:bg-subtle hover:text-ink"
      >
        <EllipsisVertical aria-hidden="true" className="size-4" />
      </MenuButton>
    </li>
  )
}

const refresh = (userId: string) => queryClient.invalidateQueries(reportViewsQuery(userId))

/** 'Desfazer' in a notice: a refusal, such as by the limit of views, offers it again. */
export function createUndo(userId: string, run: () => Promise<unknown>) {
  const action = {
    label: 'Desfazer',
    run: () =>
      void run().then(
        () => refresh(userId),
        (error) => {
          const failure = toFailureToast('A visão não pôde ser alterada', error)
          showToast({ ...failure, action, lifetimeMs: UNDO_SECONDS * 1_000 })
        },
      ),
  }
  return action
}

interface ReplacedView extends Pick<ViewRowProps, 'userId' | 'view' | 'onName'> {
  /** The view that opened first before another one does. */
  first?: ReportView | undefined
}

/** Saves what the report shows in a view, which can be undone. */
async function replaceView(
  { userId, view: { id, name }, onName, first }: ReplacedView,
  body: { state: string; isDefault?: boolean },
): Promise<void> {
  const change = (viewId: string, body: { state?: string; isDefault?: boolean }) =>
    callApi('PATCH /api/report-views/{id}', { params: { id: viewId }, body })
  const { state, isDefault } = await callApi('GET /api/report-views/{id}', { params: { id } })
  const nameAgain = onName(await change(id, body))
  showToast({
    kind: 'success',
    title: `Visão “${name}” salva como está agora`,
    action: createUndo(userId, async () => {
      nameAgain(await change(id, { state, isDefault }))
      if (body.isDefault && first && first.id !== id) await change(first.id, { isDefault: true })
    }),
    lifetimeMs: UNDO_SECONDS * 1_000,
  })
}

interface NameFormProps {
  userId: string
  area: string
  reportId: string
  captureView: (() => Promise<string>) | undefined
  /** The person's views of the report, whose names are taken. */
  own: readonly ReportView[]
  /** Undefined for a new view. */
  renamed: ReportView | undefined
  onCancel: () => void
  onName: ViewsPanelProps['views']['name']
  onSaved: () => void
}

/** Names a new view, or renames one; a new one with a known name replaces that view. */
function NameForm(props: NameFormProps) {
  const { userId, area, reportId, captureView, own, renamed, onCancel, onName, onSaved } = props
  const [name, setName] = useState(renamed?.name ?? '')
  const [isDefault, setIsDefault] = useState(false)
  const [problem, setProblem] = useState<string>()
  const same = own.find((view) => foldText(view.name) === foldText(name.trim()))
  const replaced = renamed ? undefined : same
  const { submit, isBusy } = useSubmit({
    async send() {
      if (renamed)
        return callApi('PATCH /api/report-views/{id}', { params: { id: renamed.id }, body: { name } })
      const state = await captureView?.()
      if (state === undefined) throw new Error('O relatório ainda não abriu.')
      if (replaced) {
        const first = own.find((view) => view.isDefault)
        return replaceView(
          { userId, view: replaced, onName, first },
          { state, ...(isDefault && { isDefault }) },
        )
      }
      const saved = await callApi('POST /api/report-views', {
        body: { area, reportId, name, state, isDefault },
      })
      onName(saved)
      return saved
    },
    async onDone(saved) {
      await refresh(userId)
      if (saved) showToast({ kind: 'success', title: `Visão “${saved.name}” salva` })
      onSaved()
    },
    onFailed(error) {
      const [field] = toFieldErrors(error)
      setProblem(field?.message)
      if (field?.path !== 'name') showToast(toFailureToast('A visão não pôde ser salva', error))
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim()) void submit()
    else setProblem(reportViewMessages.nameRequired)
  }
  return (
    <form
      noValidate
      onSubmit={send}
      aria-label={renamed ? 'Renomear visão' : 'Salvar visão atual'}
      className="w-[26rem] max-w-full space-y-3 p-2"
    >
      <TextField
        label="Nome da visão"
        value={name}
        onChange={({ target }) => {
          setName(target.value)
          setProblem(undefined)
        }}
        maxLength={MAX_VIEW_NAME_LENGTH}
        autoComplete="off"
        autoFocus
        error={problem}
        hint={
          replaced
            ? 'Já existe uma visão com este nome: ela será substituída.'
            : same && same.id !== renamed?.id && reportViewMessages.nameTaken
        }
      />
      {!renamed && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={isDefault}
            onChange={({ target }) => setIsDefault(target.checked)}
          />
          Abrir o relatório com esta visão
        </label>
      )}
      <div className="flex justify-end gap-2">
        <Button variant="secondary" onClick={isBusy ? undefined : onCancel}>
          Cancelar
        </Button>
        <Button type="submit" isBusy={isBusy}>
          {replaced ? 'Substituir' : 'Salvar'}
        </Button>
      </div>
    </form>
  )
}

import { queryOptions, useQuery } from '@tanstack/react-query'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import EllipsisVertical from 'lucide-react/icons/ellipsis-vertical'
import Pencil from 'lucide-react/icons/pencil'
import Trash from 'lucide-react/icons/trash-2'
import { type ComponentProps, useId, useRef, useState } from 'react'
import { reportSettingMessages } from '#contract/report-setting-rules.ts'
import type { FurtherReport, ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { MenuButton } from '#web/ui/menu.tsx'
import { closeToast, showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { FurtherReportForm, NameField } from './further-report-form.tsx'
import { refetchSetting, useSettingErrors } from './save-setting.ts'
import { toForm, toInput } from './setting-form.ts'

export const furtherReportsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['further-reports', slug],
    queryFn: ({ signal }) =>
      callApi('GET /api/global-powerbi-settings/{type}/reports', { params: { type: slug }, signal }),
  })

async function refresh(slug: string): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: ['own-reports'] })
  await queryClient.invalidateQueries(furtherReportsQuery(slug))
}

const MODES = { secure_sso: 'URL Direta (SSO)', service_principal: 'Service Principal' }
const NEW = 'new'

interface FurtherReportsProps {
  type: string
  slug: string
  first: ReportSetting
  onFirstNamed: (setting: ReportSetting) => void
}

/** The reports of an area: names the first, and adds, changes, orders and removes further ones. */
export function FurtherReports({ type, slug, first, onFirstNamed }: FurtherReportsProps) {
  const { data, error, isFetching, refetch } = useQuery(furtherReportsQuery(slug))
  const [editedId, setEditedId] = useState<string>()
  const [removed, setRemoved] = useState<FurtherReport>()
  const change = useSubmit({
    send: (run: () => Promise<unknown>) => run(),
    onFailed: 'O relatório não pôde ser alterado',
    onSettled: () => void refresh(slug),
  })
  const lastMove = useRef<number>(undefined)
  const { items = [], people = 0 } = data ?? {}
  const closeForm = () => {
    setEditedId(undefined)
    void refresh(slug)
  }

  async function remove({ id, name, updated_at }: FurtherReport): Promise<void> {
    const params = { type: slug, id }
    const path = 'DELETE /api/global-powerbi-settings/{type}/reports/{id}'
    const { undoId } = await callApi(path, { params, ifMatch: updated_at })
    const notice = { kind: 'success', title: `Relatório “${name}” removido de ${type}` } as const
    announceUndoable(notice, { undoId })
  }

  async function move(item: FurtherReport, to: number): Promise<void> {
    const undoId = (await savePlace(slug, item, to))?.undoId
    if (lastMove.current !== undefined) closeToast(lastMove.current)
    const notice = { kind: 'success', title: `“${item.name}” mudou de lugar em ${type}` } as const
    if (undoId) lastMove.current = announceUndoable(notice, { undoId })
  }

  if (error && !data)
    return (
      <FailedLoad className="mt-4" isRetrying={isFetching} onRetry={() => void refetch()}>
        {error.message}
      </FailedLoad>
    )
  return (
    <section aria-label={`Outros relatórios de ${type}`} className="mt-4 border-line border-t pt-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-72 text-muted text-sm">
          {items.length === 0
            ? 'Outros relatórios da área aparecem ao lado deste, pelo nome.'
            : `Quem tem a área ${type} escolhe o relatório pelo nome:`}
        </p>
        {editedId === undefined && (
          <Button variant="secondary" disabled={!data} onClick={() => setEditedId(NEW)}>
            Adicionar relatório
          </Button>
        )}
      </div>
      {items.length > 0 && (
        <ol className="mt-3 divide-y divide-line rounded-lg border border-line">
          <li>
            {editedId === first.id ? (
              <FirstNameForm
                {...{ type, slug, first }}
                onSaved={onFirstNamed}
                onClose={() => setEditedId(undefined)}
              />
            ) : (
              <ReportRow
                item={{ ...first, name: first.name ?? type }}
                actions={
                  editedId === undefined
                    ? [
                        {
                          id: 'name',
                          label: 'Mudar o nome',
                          icon: Pencil,
                          onSelect: () => setEditedId(first.id),
                        },
                      ]
                    : []
                }
              />
            )}
          </li>
          {items.map((item, index) => (
            <li key={item.id}>
              {item.id === editedId ? (
                <FurtherReportForm type={type} slug={slug} item={item} onClose={closeForm} />
              ) : (
                <ReportRow
                  item={item}
                  actions={[
                    // While another form is open, its input would be lost.
                    ...(editedId === undefined
                      ? [
                          {
                            id: 'edit',
                            label: 'Editar, testar e atualizar',
                            icon: Pencil,
                            onSelect: () => setEditedId(item.id),
                          },
                        ]
                      : []),
                    ...MOVES.filter(({ by }) => index + by >= 0 && index + by < items.length).map(
                      ({ by, ...action }) => ({
                        ...action,
                        onSelect: () => void change.submit(() => move(item, index + by)),
                      }),
                    ),
                    {
                      id: 'remove',
                      label: 'Remover',
                      icon: Trash,
                      isDanger: true,
                      onSelect: () => setRemoved(item),
                    },
                  ]}
                />
              )}
            </li>
          ))}
        </ol>
      )}
      {editedId === NEW && (
        <div className="mt-3 rounded-lg border border-line">
          <FurtherReportForm type={type} slug={slug} item={undefined} onClose={closeForm} />
        </div>
      )}
      <ConfirmDialog
        isOpen={removed !== undefined}
        title={`Remover “${removed?.name}” de ${type}?`}
        description={`${formatLoss(people)} Dá para desfazer por 24 horas, aqui ou na Auditoria.`}
        confirmLabel="Remover relatório"
        onConfirm={() => {
          setRemoved(undefined)
          if (removed) void change.submit(() => remove(removed))
        }}
        onCancel={() => setRemoved(undefined)}
      />
    </section>
  )
}

function formatLoss(people: number): string {
  if (people === 0) return 'Hoje nenhuma pessoa aprovada tem esta área.'
  if (people === 1) return '1 pessoa deixa de ver este relatório.'
  return `${people.toLocaleString('pt-BR')} pessoas deixam de ver este relatório.`
}

async function savePlace(slug: string, item: FurtherReport, position: number) {
  const { id, name, updated_at } = item
  const input = toInput(toForm(item))
  if (!input) return
  return await callApi('PATCH /api/global-powerbi-settings/{type}/reports/{id}', {
    params: { type: slug, id },
    ifMatch: updated_at,
    body: { ...input, name, position },
  })
}

const MOVES = [
  { id: 'up', label: 'Mover para cima', icon: ArrowUp, by: -1 },
  { id: 'down', label: 'Mover para baixo', icon: ArrowDown, by: 1 },
]

interface ReportRowProps {
  item: Pick<FurtherReport, 'name' | 'embed_mode' | 'exports'>
  actions: ComponentProps<typeof MenuButton>['items']
}

function ReportRow({ item, actions }: ReportRowProps) {
  const nameId = useId()
  return (
    <div className="flex min-h-14 items-center gap-3 py-1.5 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p id={nameId} className="break-words font-medium text-sm">
          {item.name}
        </p>
        <p className="text-muted text-xs">
          {MODES[item.embed_mode]}
          {item.embed_mode === 'service_principal' && !item.exports && ' · sem exportação'}
        </p>
      </div>
      {actions.length > 0 && (
        <MenuButton
          label="Mais ações"
          describedBy={nameId}
          className="inline-flex size-11 shrink-0 items-center justify-center rounded-lg text-muted hover:bg-subtle hover:text-ink"
          items={actions}
        >
          <EllipsisVertical aria-hidden="true" className="size-4" />
        </MenuButton>
      )}
    </div>
  )
}

interface FirstNameFormProps {
  type: string
  slug: string
  first: ReportSetting
  onSaved: (setting: ReportSetting) => void
  onClose: () => void
}

/** The name of an area's first report; its setting is the form above the list. */
function FirstNameForm({ type, slug, first, onSaved, onClose }: FirstNameFormProps) {
  const [name, setName] = useState(first.name ?? '')
  const errors = useSettingErrors()
  const rename = (seen: ReportSetting, name: string | null) =>
    callApi('PUT /api/global-powerbi-settings/{type}', {
      params: { type: slug },
      ifMatch: seen.updated_at,
      body: { ...(toInput(toForm(seen)) as ReportSettingInput), name },
    })
  const { submit, isBusy } = useSubmit({
    async send() {
      const { undoId, ...saved } = await rename(first, name.trim() || null)
      onSaved(saved)
      return { saved, undoId }
    },
    onDone({ saved, undoId }) {
      onClose()
      if (!undoId) return
      const title = `O primeiro relatório de ${type} agora se chama “${saved.name ?? type}”`
      const onUndone = async () => {
        const former = await refetchSetting(type)
        if (former) onSaved(former)
      }
      announceUndoable({ kind: 'success', title }, { undoId, onUndone })
    },
    onFailed(error) {
      const fields = toFieldErrors(error)
      if (fields.length > 0) errors.show(fields)
      else showToast(toFailureToast(reportSettingMessages.saveFailed(type), error))
    },
  })
  return (
    <form
      ref={errors.formElement}
      noValidate
      aria-label={`Nome do primeiro relatório de ${type}`}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
      className="space-y-3 p-4"
    >
      <NameField
        hint={`Vazio, vale o nome da área: ${type}.`}
        name={name}
        errors={errors}
        onChange={setName}
      />
      <div className="flex flex-col gap-2 sm:flex-row sm:justify-end">
        <Button variant="ghost" onClick={onClose}>
          Cancelar
        </Button>
        <Button type="submit" isBusy={isBusy}>
          Salvar nome
        </Button>
      </div>
    </form>
  )
}

import { queryOptions, useQuery } from '@tanstack/react-query'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import EllipsisVertical from 'lucide-react/icons/ellipsis-vertical'
import Pencil from 'lucide-react/icons/pencil'
import Trash from 'lucide-react/icons/trash-2'
import { useId, useState } from 'react'
import type { FurtherReport } from '#contract/report-settings.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { MenuButton } from '#web/ui/menu.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { FurtherReportForm } from './further-report-form.tsx'
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

/** The reports of an area beside its setting: adds, changes, orders and removes them. */
export function FurtherReports({ type, slug }: { type: string; slug: string }) {
  const { data, error, isFetching, refetch } = useQuery(furtherReportsQuery(slug))
  const [editedId, setEditedId] = useState<string>()
  const [removed, setRemoved] = useState<FurtherReport>()
  const change = useSubmit({
    send: (run: () => Promise<unknown>) => run(),
    onFailed: 'O relatório não pôde ser alterado',
    onSettled: () => void refresh(slug),
  })
  const { items = [], people = 0 } = data ?? {}
  const closeForm = () => {
    setEditedId(undefined)
    void refresh(slug)
  }

  async function remove({ id, name, updated_at }: FurtherReport): Promise<void> {
    const params = { type: slug, id }
    await callApi('DELETE /api/global-powerbi-settings/{type}/reports/{id}', { params, ifMatch: updated_at })
    const restore = () => callApi('POST /api/global-powerbi-settings/{type}/reports/{id}/restore', { params })
    showToast({
      kind: 'success',
      title: `Relatório “${name}” removido de ${type}`,
      action: { label: 'Desfazer', run: () => void change.submit(restore) },
    })
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
            : `Além deste, quem tem a área ${type} escolhe pelo nome:`}
        </p>
        {editedId === undefined && (
          <Button variant="secondary" disabled={!data} onClick={() => setEditedId(NEW)}>
            Adicionar relatório
          </Button>
        )}
      </div>
      {items.length > 0 && (
        <ol className="mt-3 divide-y divide-line rounded-lg border border-line">
          {items.map((item, index) => (
            <li key={item.id}>
              {item.id === editedId ? (
                <FurtherReportForm type={type} slug={slug} item={item} onClose={closeForm} />
              ) : (
                <ReportRow
                  item={item}
                  isFirst={index === 0}
                  isLast={index === items.length - 1}
                  onEdit={editedId === undefined ? () => setEditedId(item.id) : undefined}
                  onMove={(by) => void change.submit(() => move(slug, item, index + by))}
                  onRemove={() => setRemoved(item)}
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
        description={`${formatLoss(people)} Dá para desfazer logo depois.`}
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

async function move(slug: string, item: FurtherReport, position: number): Promise<void> {
  const { id, name, updated_at } = item
  const input = toInput(toForm(item))
  if (!input) return
  await callApi('PATCH /api/global-powerbi-settings/{type}/reports/{id}', {
    params: { type: slug, id },
    ifMatch: updated_at,
    body: { ...input, name, position },
  })
}

interface ReportRowProps {
  item: FurtherReport
  isFirst: boolean
  isLast: boolean
  /** Undefined while another form is open, whose input would be lost. */
  onEdit: (() => void) | undefined
  /** @param by -1 towards the first, 1 towards the last */
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

function ReportRow({ item, isFirst, isLast, onEdit, onMove, onRemove }: ReportRowProps) {
  const nameId = useId()
  const moves = [
    { id: 'up', label: 'Mover para cima', icon: ArrowUp, onSelect: () => onMove(-1), isOff: isFirst },
    { id: 'down', label: 'Mover para baixo', icon: ArrowDown, onSelect: () => onMove(1), isOff: isLast },
  ]
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
      <MenuButton
        label="Mais ações"
        describedBy={nameId}
        className="inline-flex size-11 shrink-0 items-center justify-center rounded-lg text-muted hover:bg-subtle hover:text-ink"
        items={[
          ...(onEdit
            ? [{ id: 'edit', label: 'Editar, testar e atualizar', icon: Pencil, onSelect: onEdit }]
            : []),
          ...moves.filter(({ isOff }) => !isOff),
          { id: 'remove', label: 'Remover', icon: Trash, isDanger: true, onSelect: onRemove },
        ]}
      >
        <EllipsisVertical aria-hidden="true" className="size-4" />
      </MenuButton>
    </div>
  )
}

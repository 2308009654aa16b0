import { queryOptions, useQuery } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import type { Notice } from '#contract/notices.ts'
import type { Undoable } from '#contract/undo.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { KindIcon } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { formatRecent } from '#web/ui/format-instant.ts'
import { useLazyDialog } from '#web/ui/lazy-dialog.ts'
import { listClasses } from '#web/ui/list-card.tsx'
import { getMainElement } from '#web/ui/main-element.ts'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { SEVERITIES } from '#web/ui/notice-lines.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'

const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: async ({ signal }) => (await callApi('GET /api/admin/notices', { signal })).items,
})

async function refreshNotices(): Promise<readonly Notice[]> {
  // What is being read may be of before the change.
  await queryClient.cancelQueries(noticesQuery)
  return queryClient.fetchQuery({ ...noticesQuery, staleTime: 0 })
}

const STATES: Record<Notice['state'], { label: string; className: string }> = {
  active: { label: 'No ar', className: 'bg-success-soft text-success' },
  scheduled: { label: 'Programado', className: 'bg-info-soft text-info' },
  draft: { label: 'Rascunho', className: 'bg-subtle text-muted' },
  ended: { label: 'Encerrado', className: 'bg-subtle text-muted' },
}

const loadDialog = async () => (await import('./notice-dialog.tsx')).NoticeDialog

/** /admin/avisos, 'Avisos': what people read above their reports, and visitors at /login. */
export function NoticesScreen() {
  const notices = useQuery(noticesQuery)
  const [edited, setEdited] = useState<Notice>()
  const dialog = useLazyDialog(loadDialog)
  const edit = (notice?: Notice) => {
    setEdited(notice)
    dialog.open()
  }
  return (
    <AdminPage
      title="Avisos"
      intro="Um aviso aparece acima dos relatórios, na hora, até a pessoa fechá-lo. O de manutenção pode ficar também na tela de entrada."
      action={<Button onClick={() => edit()}>Novo aviso</Button>}
    >
      {!notices.data ? (
        <NotLoaded query={notices} failed="Os avisos não puderam ser lidos agora." skeleton="h-40" />
      ) : notices.data.length === 0 ? (
        <p className="rounded-xl border border-line border-dashed px-6 py-10 text-center text-muted text-sm">
          Nenhum aviso ainda. Avise aqui de uma manutenção, de um relatório novo ou de dados que atrasaram.
        </p>
      ) : (
        <ul aria-label="Avisos" className={listClasses}>
          {notices.data.map((notice) => (
            <NoticeItem key={notice.id} notice={notice} onEdit={() => edit(notice)} />
          ))}
        </ul>
      )}
      {dialog.Dialog && <dialog.Dialog opened={edited} refresh={refreshNotices} onClose={dialog.close} />}
    </AdminPage>
  )
}

function NoticeItem({ notice, onEdit }: { notice: Notice; onEdit: () => void }) {
  const { text, severity, state, types, on_login, closed } = notice
  const item = useRef<HTMLLIElement>(null)
  const { end, remove } = useNoticeActions(notice, item)
  const actions = [
    // The first, and the last on a phone: the others keep their place when it goes.
    ...(state === 'active' ? [['Encerrar', () => void end.submit(), end.isBusy] as const] : []),
    ['Editar', onEdit, false],
    ['Excluir', () => void remove.submit(), remove.isBusy],
  ] as const
  return (
    <li ref={item} className="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-3 sm:px-6">
      <div className="min-w-0 flex-1 basis-64 space-y-1">
        <h2 className="flex gap-2 break-words font-medium">
          <KindIcon kind={SEVERITIES[severity].kind} className="mt-0.5" />
          <span className="min-w-0">
            <span className="sr-only">{SEVERITIES[severity].label}: </span>
            {text}
          </span>
        </h2>
        <p className="pl-6 text-muted">
          <span
            className={classNames(
              'mr-2 inline-block rounded-full px-2 font-medium text-xs leading-5',
              STATES[state].className,
            )}
          >
            {STATES[state].label}
          </span>
          {[
            describePeriod(notice),
            types?.join(', ') ?? 'Todos',
            on_login && 'Também na tela de entrada',
            closed > 0 &&
              `${closed.toLocaleString('pt-BR')} ${closed === 1 ? 'pessoa fechou' : 'pessoas fecharam'}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      <div className="flex gap-2 max-sm:pl-6">
        {actions.map(([label, onClick, isBusy]) => (
          <Button
            key={label}
            variant="secondary"
            aria-label={`${label}: ${text}`}
            isBusy={isBusy}
            onClick={onClick}
            className={label === 'Encerrar' ? 'max-sm:order-last' : ''}
          >
            {label}
          </Button>
        ))}
      </div>
    </li>
  )
}

/** Ends and removes a notice, each with an undo; the pressed button is gone then. */
function useNoticeActions(notice: Notice, item: RefObject<HTMLLIElement | null>) {
  const { id, version } = notice
  const announce = (title: string, done: Undoable) =>
    announceUndoable({ kind: 'success', title, description: notice.text }, done)
  const end = useSubmit({
    send: () =>
      retryCall('PATCH /api/admin/notices/{id}', {
        params: { id },
        ifMatch: String(version),
        body: { ended: true },
      }),
    async onDone(ended) {
      announce('Aviso encerrado', ended)
      await refreshNotices()
      item.current?.querySelector<HTMLElement>('[aria-label^="Editar"]')?.focus()
    },
    onFailed: 'Não foi possível encerrar o aviso',
    onSettled: refreshNotices,
  })
  const remove = useSubmit({
    send: () => retryCall('DELETE /api/admin/notices/{id}', { params: { id } }),
    async onDone(removed) {
      announce('Aviso excluído', removed)
      await refreshNotices()
      getMainElement()?.focus()
    },
    onFailed: 'Não foi possível excluir o aviso',
    onSettled: refreshNotices,
  })
  return { end, remove }
}

/** Formats 'Desde hoje, 14:05, até ser encerrado' and the like. */
function describePeriod({ state, starts_at, ends_at }: Notice): string {
  const start = starts_at && formatRecent(starts_at)
  const end = ends_at && formatRecent(ends_at)
  if (state === 'ended') return `${start} a ${end}`
  const from = start ? `${state === 'active' ? 'Desde' : 'A partir de'} ${start}` : 'Desde que for publicado'
  return `${from}, ${end ? `até ${end}` : 'até ser encerrado'}`
}

import { useRouter } from '@tanstack/react-router'
import type { ReportView } from '#contract/report-views.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { Button } from '#web/ui/button.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { reportViewsQuery } from './open-views.ts'
import { type ReportTab, toReportSearch } from './own-reports.ts'

export interface SharePanelProps {
  userId: string
  tab: ReportTab
  /** The open view; undefined for the report as published. */
  view: ReportView | undefined
  onChange: (view: ReportView) => void
  close: () => void
}

/** Says what a link opens for others, and copies it; copying shares an own view. */
export function SharePanel({ userId, tab, view, onChange, close }: SharePanelProps) {
  const router = useRouter()
  const { area, name } = tab
  const search = toReportSearch(tab, view?.id)
  const link = location.origin + router.buildLocation({ to: '/power-bi', search }).href
  const isOwn = view?.owner === null

  async function setShared(shared: boolean): Promise<void> {
    if (!view || !isOwn || view.shared === shared) return
    const params = { id: view.id }
    onChange(await callApi('PATCH /api/report-views/{id}', { params, body: { shared } }))
    await queryClient.invalidateQueries(reportViewsQuery(userId))
  }
  const copy = useSubmit({
    send: () => setShared(true),
    async onDone() {
      try {
        await navigator.clipboard.writeText(link)
        showToast({ kind: 'success', title: 'Link copiado' })
        close()
      } catch {
        showToast({ kind: 'warning', title: 'O navegador não deixou copiar. Copie o link do campo.' })
      }
    },
    onFailed: 'A visão não pôde ser compartilhada',
  })
  const stop = useSubmit({
    send: () => setShared(false),
    onDone: () =>
      showToast({ kind: 'success', title: 'O link desta visão não abre mais para outras pessoas' }),
    onFailed: 'O compartilhamento não pôde ser encerrado',
  })
  return (
    <div className="w-96 max-w-full space-y-3 p-2 text-sm">
      <p>
        {view
          ? `O link abre a visão “${view.name}”. Quem tem a área ${area} vê os próprios dados. O nome e os valores dos filtros vão junto.`
          : tab.isFirst
            ? `O link abre a área ${area} como foi publicada. Quem a tem vê os próprios dados.`
            : `O link abre o relatório “${name}” da área ${area} como foi publicado. Quem tem a área vê os próprios dados.`}
      </p>
      <TextField label="Link" value={link} readOnly onFocus={({ target }) => target.select()} />
      <div className="flex flex-wrap justify-end gap-2">
        {isOwn && view.shared && (
          <Button variant="secondary" isBusy={stop.isBusy} onClick={() => void stop.submit()}>
            Deixar de compartilhar
          </Button>
        )}
        <Button isBusy={copy.isBusy} onClick={() => void copy.submit()}>
          Copiar link
        </Button>
      </div>
    </div>
  )
}

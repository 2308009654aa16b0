import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { describeExport } from '#contract/messages.ts'
import type { ExportFormat, ReportExport } from '#contract/report-exports.ts'
import type { ReportView } from '#contract/report-views.ts'
import { callApi } from '#web/http/api.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { RadioGroup } from '#web/ui/choices.tsx'
import { Dialog, FormDialog } from '#web/ui/dialog.tsx'
import { formatTime } from '#web/ui/format-instant.ts'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { closeReadyToasts, downloadExport } from './export-files.ts'
import { reportExportsQuery } from './report-exports.ts'
import { FormatField, SubscriptionDialog } from './subscription-dialog.tsx'

interface ExportDialogProps {
  userId: string
  area: string
  /** The report's. */
  title: string
  /** Undefined for a shared link. */
  reportId: string | undefined
  /** Captures what the person sees; undefined where the report cannot. */
  captureView: (() => Promise<string>) | undefined
  isPaginated: boolean
  /** The saved view that is open. */
  view: ReportView | undefined
  /** Whether the person has filtered or selected since it opened. */
  isChanged: boolean
  onViewSaved: (view: ReportView) => void
  onStarted: (item: ReportExport) => void
  onClose: () => void
}

/** 'Exportar': asks for the format and what the file shows, and lists the files of the last hour. */
export function ExportDialog(props: ExportDialogProps) {
  const { userId, area, reportId, captureView, isPaginated, view, isChanged } = props
  const { onViewSaved, onStarted, onClose } = props
  const title = `Exportar ${props.title}`
  useEffect(closeReadyToasts, [])
  const [isSubscribing, setIsSubscribing] = useState(false)
  const [format, setFormat] = useState<ExportFormat>('pdf')
  const [content, setContent] = useState<Content>(captureView ? 'current' : 'published')
  const { submit, isBusy } = useSubmit({
    async send() {
      const state = content === 'current' ? await captureView?.() : undefined
      const body = { area, reportId: reportId ?? '', format, ...(state !== undefined && { state }) }
      const viewId = content === 'view' ? view?.id : undefined
      return callApi('POST /api/report-exports', { body: viewId ? { ...body, viewId } : body })
    },
    onDone(item) {
      onStarted(item)
      onClose()
      showToast({
        kind: 'info',
        title: `Exportando ${describeExport(item)}`,
        description: 'Continue usando o portal: um aviso aparece quando o arquivo estiver pronto.',
      })
    },
    onFailed: `Erro ao exportar ${area}`,
  })
  // The server refuses these too.
  if (reportId === undefined || isPaginated)
    return (
      <Dialog
        isOpen
        title={title}
        description={reportId === undefined ? NO_LINKS : NO_PAGINATED}
        onClose={onClose}
        actions={<Button onClick={onClose}>Fechar</Button>}
      />
    )
  if (isSubscribing)
    return (
      <SubscriptionDialog
        userId={userId}
        reports={[{ area, reportId, name: props.title }]}
        openView={content === 'published' ? undefined : view}
        captureView={content === 'current' ? captureView : undefined}
        isChanged={isChanged}
        onViewSaved={onViewSaved}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={title}
      description="O arquivo traz só os seus dados, e o que cabe na tela: tabelas longas saem cortadas."
      confirmLabel="Exportar"
      isBusy={isBusy}
      onSubmit={() => void submit()}
      onCancel={onClose}
    >
      <FormatField value={format} onChange={setFormat} />
      {captureView && (
        <RadioGroup label="Conteúdo" options={listContents(view)} value={content} onChange={setContent} />
      )}
      <p className="text-sm">
        <button type="button" className={textLinkClasses} onClick={() => setIsSubscribing(true)}>
          Receber por e-mail
        </button>{' '}
        todo dia, toda semana ou todo mês.{' '}
        <Link to="/profile/envios" className={textLinkClasses}>
          Meus envios
        </Link>
      </p>
      <RecentFiles userId={userId} />
    </FormDialog>
  )
}

const NO_LINKS =
  'Este relatório abre com a sua própria conta do Power BI, e o portal não o exporta. Use “Abrir no Power BI” e exporte-o lá.'
const NO_PAGINATED =
  'Este é um relatório paginado, e o portal não o exporta: use a exportação na barra do próprio relatório.'

type Content = 'current' | 'view' | 'published'

const listContents = (view: ReportView | undefined): { value: Content; label: string; hint: string }[] => [
  { value: 'current', label: 'Como está agora', hint: 'Com os filtros e as seleções que você fez.' },
  ...(view
    ? [
        {
          value: 'view' as const,
          label: `Visão “${view.name}”`,
          hint: 'Como foi salva, sem o que você mudou depois.',
        },
      ]
    : []),
  { value: 'published', label: 'Como foi publicado', hint: 'Sem os seus filtros e seleções.' },
]

/** The exports under way, and the files that can still be downloaded; nothing while they are unknown. */
function RecentFiles({ userId }: { userId: string }) {
  const { data = [] } = useQuery(reportExportsQuery(userId))
  const files = data.filter(({ status }) => status !== 'failed')
  if (files.length === 0) return null
  return (
    <section aria-labelledby="recent-exports">
      <h3 id="recent-exports" className="font-medium text-sm">
        Última hora
      </h3>
      <ul className="mt-1 divide-y divide-line">
        {files.map((item) => (
          <li key={item.id} className="flex items-center justify-between gap-4 py-1 text-sm">
            <span className="min-w-0">
              {describeExport(item)}
              <span className="block text-muted text-xs">
                {item.status === 'done'
                  ? `disponível até ${formatTime(item.available_until ?? '')}`
                  : `${item.percent}% · o Power BI ainda prepara o arquivo, e o portal avisa o fim`}
              </span>
            </span>
            {item.status === 'done' && (
              <Button
                variant="ghost"
                aria-label={`Baixar ${describeExport(item)}`}
                onClick={() => void downloadExport(item)}
              >
                Baixar
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

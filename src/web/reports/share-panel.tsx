import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { UNDO_SECONDS } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { ChangedDot } from './changed-dot.tsx'
import { reportViewsQuery } from './open-views.ts'
import { type ReportTab, toReportSearch } from './own-reports.ts'
import { createUndo, SaveViewForm, type ViewsPanelProps } from './views-panel.tsx'

export interface SharePanelProps
  extends Pick<ViewsPanelProps, 'userId' | 'view' | 'isChanged' | 'views' | 'captureView' | 'close'> {
  tab: ReportTab
}

/** On phones and tablets; elsewhere people paste the link. */
const HAS_SHARE_SHEET = 'share' in navigator && matchMedia('(pointer: coarse)').matches

/** Says what a link opens for others, and copies or sends it, which shares an own view. */
export function SharePanel({ userId, tab, view, isChanged, views, captureView, close }: SharePanelProps) {
  const router = useRouter()
  const [isSaving, setIsSaving] = useState(false)
  const { area, name } = tab
  const search = toReportSearch(tab, view?.id)
  const link = location.origin + router.buildLocation({ to: '/power-bi', search }).href
  const isOwn = view?.owner === null

  const patch = (id: string, shared: boolean) =>
    callApi('PATCH /api/report-views/{id}', { params: { id }, body: { shared } })
  async function setShared(shared: boolean): Promise<void> {
    if (!view || !isOwn || view.shared === shared) return
    await patch(view.id, shared)
    await queryClient.invalidateQueries(reportViewsQuery(userId))
  }
  const send = useSubmit({
    send: () => setShared(true),
    async onDone() {
      try {
        await navigator.share({ title: [tab.title, view?.name].filter(Boolean).join(' · '), url: link })
        close()
      } catch (error) {
        // Whoever closes the sheet has decided so.
        if ((error as Error).name !== 'AbortError') void copy.submit()
      }
    },
    onFailed: 'A visão não pôde ser compartilhada',
  })
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
      showToast({
        kind: 'success',
        title: 'O link desta visão não abre mais para outras pessoas',
        action: createUndo(userId, async () => view && patch(view.id, true)),
        lifetimeMs: UNDO_SECONDS * 1_000,
      }),
    onFailed: 'O compartilhamento não pôde ser encerrado',
  })
  if (isSaving && tab.kind === 'embedded')
    return (
      <SaveViewForm
        {...{ userId, views, captureView, area }}
        reportId={tab.request.reportId}
        close={() => setIsSaving(false)}
      />
    )
  return (
    <div className="w-96 max-w-full space-y-3 p-2 text-sm">
      <p>
        {view
          ? `O link abre a visão “${view.name}”. Quem tem a área ${area} vê os próprios dados. O nome e os valores dos filtros vão junto.`
          : tab.isFirst
            ? `O link abre a área ${area} como foi publicada. Quem a tem vê os próprios dados.`
            : `O link abre o relatório “${name}” da área ${area} como foi publicado. Quem tem a área vê os próprios dados.`}
      </p>
      {captureView && (
        <p className={isChanged ? 'text-warning' : 'text-muted'}>
          {view && isChanged && <ChangedDot className="mr-1.5 inline-block align-middle" />}
          {isChanged
            ? `${view ? 'Alterada: o' : 'O'} que você mudou na tela desde então não vai junto.`
            : 'O que você mudar na tela não vai junto.'}{' '}
          <button type="button" className={textLinkClasses} onClick={() => setIsSaving(true)}>
            Salvar como está agora
          </button>
        </p>
      )}
      {/* Until it is shared, the link of an own view opens for nobody else. */}
      {(!isOwn || view.shared) && (
        <TextField label="Link" value={link} readOnly onFocus={({ target }) => target.select()} />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {isOwn && view.shared && (
          <Button variant="secondary" isBusy={stop.isBusy} onClick={() => void stop.submit()}>
            Deixar de compartilhar
          </Button>
        )}
        <Button
          variant={HAS_SHARE_SHEET ? 'secondary' : 'primary'}
          isBusy={copy.isBusy}
          onClick={() => void copy.submit()}
        >
          Copiar link
        </Button>
        {HAS_SHARE_SHEET && (
          <Button isBusy={send.isBusy} onClick={() => void send.submit()}>
            Enviar…
          </Button>
        )}
      </div>
    </div>
  )
}

import { formatList } from '#contract/format-list.ts'
import { reportViewMessages } from '#contract/messages.ts'
import { ApiError } from '#web/http/send-request.ts'
import type { NoticeKind } from '#web/ui/alert.tsx'
import { textLinkClasses } from '#web/ui/button.tsx'
import { AboveReport } from './above-report.tsx'
import type { useOpenViews, ViewNotice } from './open-views.ts'

/** Says above the report what became of the open view, and why it may show nothing. */
export function ViewLines({ views }: { views: ReturnType<typeof useOpenViews> }) {
  const { notice, lacking, ownerSeesMore, choose, closeNotices } = views
  const open = (label: string, id?: string) => (
    <button type="button" className={textLinkClasses} onClick={() => void choose(id)}>
      {label}
    </button>
  )
  const [kind, text] = notice ? describeNotice(notice) : []
  return (
    <>
      {kind && (
        <AboveReport kind={kind} onClose={closeNotices}>
          {text} {notice?.kind === 'overwritten' && open('Abrir como está agora', notice.next.id)}
        </AboveReport>
      )}
      {lacking.length > 0 ? (
        <AboveReport kind="warning">
          Esta visão filtra por {formatList(lacking)}, que não {lacking.length > 1 ? 'estão' : 'está'} no seu
          acesso: por isso o relatório pode aparecer vazio ou com zeros. {open('Como foi publicado')}
        </AboveReport>
      ) : (
        ownerSeesMore && (
          <AboveReport kind="info" onClose={closeNotices}>
            Quem salvou esta visão vê mais marcas ou estados do que você. Se o relatório parecer vazio, é por
            isso. {open('Como foi publicado')}
          </AboveReport>
        )
      )}
    </>
  )
}

function describeNotice(notice: ViewNotice): [NoticeKind, string] {
  switch (notice.kind) {
    case 'failed':
      return describeFailure(notice.error as Error)
    case 'refused':
      return [
        'warning',
        `A visão “${notice.view.name}” não abre mais neste relatório. ${reportViewMessages.openedAsPublished}`,
      ]
    case 'ended':
      return [
        'warning',
        `A visão “${notice.view.name}” não está mais compartilhada com você: o relatório está como foi publicado.`,
      ]
    case 'renamed':
      return ['info', `A visão “${notice.view.name}” agora se chama “${notice.next.name}”.`]
    case 'overwritten':
      return [
        'warning',
        `Quem compartilhou a visão “${notice.next.name}” a salvou de novo: a tela mostra a anterior.`,
      ]
  }
}

function describeFailure(error: Error): [NoticeKind, string] {
  const code = error instanceof ApiError ? error.problem.code : undefined
  if (code === 'invalid-input') return ['warning', 'O link está incompleto: peça que seja enviado de novo.']
  if (code === 'not-found') return ['warning', error.message]
  return ['error', `A visão não pôde ser aberta. ${error.message}`]
}

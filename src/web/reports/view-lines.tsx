import { formatList } from '#contract/format-list.ts'
import { textLinkClasses } from '#web/ui/button.tsx'
import { AboveReport } from './above-report.tsx'
import type { useOpenViews } from './open-views.ts'

/** Says above the report what became of the open view, and why it may show nothing. */
export function ViewLines({ views }: { views: ReturnType<typeof useOpenViews> }) {
  const { notice, lacking, ownerSeesMore, choose, closeNotices } = views
  const open = (label: string, id?: string) => (
    <button type="button" className={textLinkClasses} onClick={() => void choose(id)}>
      {label}
    </button>
  )
  return (
    <>
      {notice && (
        <AboveReport kind={notice.kind} onClose={closeNotices}>
          {notice.text} {notice.id !== undefined && open('Abrir como está agora', notice.id)}
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

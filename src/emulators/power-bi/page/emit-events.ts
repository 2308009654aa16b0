import type { ReportError } from './check-token.ts'
import { describePage, type PageName, type Visual } from './report-pages.ts'
import type { Session } from './session.ts'
import type { FilterColumn } from './update-filters.ts'
import type { PostToHost } from './wire.ts'

export type Initiator = 'sdk' | 'user'

/** The events that powerbi-client hands on to the embedding page; nothing is sent from a share link. */
export function createEvents(session: Session, post: PostToHost) {
  function emit(name: string, body: unknown): void {
    // Paginated reports tell of nothing but errors (learn.microsoft.com/power-bi/paginated-reports/paginated-reports-embed).
    if (session.report?.isPaginated && name !== 'error') return
    if (session.kind === 'embedded') post(`/reports/${session.uid}/events/${name}`, body)
  }
  const place = () => ({
    report: { id: session.report?.reportId, displayName: session.report?.name },
    page: describePage(session.page, session.page),
  })
  return {
    loaded: () => emit('loaded', { initiator: 'sdk' }),
    rendered: () => emit('rendered', {}),
    error: (error: ReportError) =>
      emit('error', { ...error, level: 6, technicalDetails: { requestId: crypto.randomUUID() } }),
    pageChanged: (initiator: Initiator, from: PageName, to: PageName) =>
      emit('pageChanged', { initiator, oldPage: describePage(from, to), newPage: describePage(to, to) }),
    filtersApplied: (initiator: Initiator) => emit('filtersApplied', { initiator, filters: session.filters }),
    visualClicked: (visual: Visual) => emit('visualClicked', { ...place(), visual }),
    buttonClicked: (id: string, title: string) =>
      emit('buttonClicked', { ...place(), id, title, type: 'Bookmark', bookmark: '' }),
    dataSelected: (visual: Visual, column: FilterColumn, values: readonly string[]) =>
      emit('dataSelected', {
        ...place(),
        visual,
        dataPoints: values.map((equals) => ({
          identity: [{ target: { table: column, column }, equals }],
          values: [],
        })),
        regions: [],
        filters: session.filters,
      }),
  }
}

export type ReportEvents = ReturnType<typeof createEvents>

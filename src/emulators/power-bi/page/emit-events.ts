import type { ReportError } from './check-token.ts'
import { describePage, type PageName } from './report-pages.ts'
import { flawOfSession, type Session } from './session.ts'

/** The events that powerbi-client hands on to the embedding page; nothing is sent from a share link. */
export function createEvents(session: Session, post: (url: string, body: unknown) => void) {
  function emit(name: string, body: unknown): void {
    // Paginated reports tell of nothing but errors (learn.microsoft.com/power-bi/paginated-reports/paginated-reports-embed).
    if (session.report?.isPaginated && name !== 'error') return
    if (session.kind === 'embedded') post(`/reports/${session.uid}/events/${name}`, body)
  }
  return {
    loaded: () => emit('loaded', { initiator: 'sdk' }),
    rendered: () => emit('rendered', {}),
    error: (error: ReportError) =>
      emit('error', { ...error, level: 6, technicalDetails: { requestId: crypto.randomUUID() } }),
    // Of what the reader does, the portal asks only that it was done; powerbi-client wants to know the page.
    pageChanged: (to: PageName) => emit('pageChanged', { initiator: 'user', newPage: describePage(to, to) }),
    filtersApplied: () => emit('filtersApplied', { initiator: 'user' }),
    visualClicked: () => emit('visualClicked', {}),
    buttonClicked: () => emit('buttonClicked', {}),
    dataSelected: () => emit('dataSelected', {}),
  }
}

export type ReportEvents = ReturnType<typeof createEvents>

const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Says TokenExpired as soon as the token's life is over, once for each token; gives back what starts the watch
 * for the session's present token. A machine that slept is caught up when the page is seen again.
 */
export function createTokenWatch(session: Session, events: ReportEvents, onExpired: () => void): () => void {
  let timer = 0
  let reported: unknown
  function look(): void {
    const { claims } = session
    if (!claims || session.kind !== 'embedded' || reported === claims) return
    const left = claims.exp * 1000 - Date.now()
    window.clearTimeout(timer)
    if (left > 0) {
      timer = window.setTimeout(look, Math.min(left, LONGEST_TIMER))
      return
    }
    reported = claims
    const flaw = flawOfSession(session)
    if (flaw) events.error(flaw)
    onExpired()
  }
  document.addEventListener('visibilitychange', look)
  return () => {
    window.clearTimeout(timer)
    // A token that came dead has been refused by the load itself.
    if (session.claims && session.claims.exp * 1000 <= Date.now()) reported = session.claims
    look()
  }
}

interface FrameFault {
  message: string
  errorCode: string
}

async function fetchFaults(reportId: string): Promise<FrameFault[] | undefined> {
  try {
    const response = await fetch(`frame-faults?reportId=${encodeURIComponent(reportId)}`)
    if (!response.ok) return undefined
    const faults: unknown = await response.json()
    return Array.isArray(faults) ? faults : undefined
  } catch {
    return undefined
  }
}

/** Asks once a second for scripted error events; ends for good where nobody scripts any. */
export function watchFaults(session: Session, events: ReportEvents): void {
  const timer = window.setInterval(async () => {
    if (session.kind !== 'embedded' || !session.report) return
    const faults = await fetchFaults(session.report.reportId)
    if (!faults) return window.clearInterval(timer)
    for (const { message, errorCode } of faults)
      events.error({ message, errorCode, detailedMessage: message })
  }, 1_000)
}

import { readClaims } from './check-token.ts'
import type { ReportEvents } from './emit-events.ts'
import type { ReportActions } from './report-actions.ts'
import { describePage, isPageName, PAGES, visualsOf } from './report-pages.ts'
import {
  flawOfSession,
  loadSession,
  mergeSettings,
  modelOfSession,
  permittedScope,
  type ReportSettings,
  type Session,
} from './session.ts'
import { type ReportFilter, updateFilters } from './update-filters.ts'
import type { Answer, HostRequest } from './wire.ts'

/** The parts of the page that an answer may set going. */
export interface Parts {
  session: Session
  events: ReportEvents
  actions: ReportActions
  /** Draws what the session holds, then says `rendered`. */
  draw: () => void
  /** Watches the end of the token's life. */
  watchToken: () => void
  /** Shows a report that could not be opened. */
  showFailure: (message: string) => void
}

type Handler = (request: HostRequest, parts: Parts) => Answer

function load({ headers, body }: HostRequest, parts: Parts, isPhased: boolean): Answer {
  const { session, events, actions } = parts
  // The uid changes when the host reuses the frame for another embed.
  loadSession(session, headers.uid ?? session.uid, (body ?? {}) as Record<string, unknown>)
  const afterwards = () => {
    parts.watchToken()
    if (!actions.isOpen()) return parts.showFailure('Não foi possível abrir este relatório.')
    events.loaded()
    if (!isPhased) parts.draw()
  }
  return { statusCode: 202, body: {}, afterwards }
}

function setFilters(filters: ReportFilter[] | undefined, parts: Parts): Answer {
  if (!filters) return { statusCode: 400, body: { message: 'Invalid parameters' } }
  if (!parts.actions.isOpen()) return { statusCode: 403, body: { message: 'TokenExpired' } }
  parts.session.filters = filters
  parts.session.selection = undefined
  const afterwards = () => {
    parts.draw()
    parts.events.filtersApplied('sdk')
  }
  return { statusCode: 202, body: {}, afterwards }
}

function postFilters({ body }: HostRequest, parts: Parts): Answer {
  const { filtersOperation, filters } = (body ?? {}) as { filtersOperation?: unknown; filters?: unknown }
  const list = Array.isArray(filters) ? filters : []
  return setFilters(updateFilters(parts.session.filters, filtersOperation, list), parts)
}

function takeToken({ body }: HostRequest, { session, watchToken, draw, actions }: Parts): Answer {
  const shown = flawOfSession(session) ? '' : JSON.stringify(permittedScope(session))
  session.claims = readClaims(String(body ?? ''))
  const afterwards = () => {
    watchToken()
    // A renewal in time leaves the reader's screen alone.
    if (actions.isOpen() && shown !== JSON.stringify(permittedScope(session))) draw()
  }
  return { statusCode: 202, body: null, afterwards }
}

function openPage({ body }: HostRequest, { actions }: Parts): Answer {
  const name = (body as { name?: unknown } | null)?.name
  if (!isPageName(name)) return { statusCode: 404, body: { message: 'pageNotFound' } }
  return { statusCode: 202, body: null, afterwards: () => actions.openPage(name, 'sdk') }
}

const accepted = (afterwards: () => void): Answer => ({ statusCode: 202, body: null, afterwards })

/** Every call of powerbi-client that the report understands; the rest are 404. */
const HANDLERS: Record<string, Handler> = {
  'POST /frontload/config': () => ({ statusCode: 200, body: {} }),
  'POST /report/load': (request, parts) => load(request, parts, false),
  'POST /report/prepare': (request, parts) => load(request, parts, true),
  'POST /report/render': (_, { draw }) => accepted(draw),
  'POST /report/token': takeToken,
  'GET /report/filters': (_, { session }) => ({ statusCode: 200, body: session.filters }),
  'PUT /report/filters': ({ body }, parts) =>
    setFilters(Array.isArray(body) ? (body as ReportFilter[]) : undefined, parts),
  'POST /report/filters': postFilters,
  'GET /report/pages': (_, { session }) => ({
    statusCode: 200,
    body: PAGES.map(({ name }) => describePage(name, session.page)),
  }),
  'PUT /report/pages/active': openPage,
  'PATCH /report/settings': ({ body }, { session, draw }) => {
    mergeSettings(session, (body ?? {}) as ReportSettings)
    return { statusCode: 202, body: {}, afterwards: draw }
  },
  'POST /report/refresh': (_, { actions, draw }) => accepted(() => actions.isOpen() && draw()),
  'POST /report/print': () => accepted(() => window.print()),
  'GET /getCorrelationId': () => ({ statusCode: 200, body: crypto.randomUUID() }),
  'GET /report/zoom': (_, { session }) => ({ statusCode: 200, body: session.settings.zoomLevel ?? 1 }),
}

/** `page.getVisuals()` and `page.hasLayout()`. */
function answerPageCall({ method, url }: HostRequest, { session }: Parts): Answer | undefined {
  const [, name, rest] = /^\/report\/pages\/([^/]+)\/(visuals|layoutTypes\/\w+)$/.exec(url) ?? []
  if (method !== 'GET' || !isPageName(name) || !rest) return undefined
  if (rest !== 'visuals') return { statusCode: 200, body: /MobilePortrait|Master/.test(rest) }
  return { statusCode: 200, body: Object.values(visualsOf(modelOfSession(session), name)) }
}

/** Answers a request of powerbi-client. */
export function answerHost(request: HostRequest, parts: Parts): Answer {
  const handler = HANDLERS[`${request.method} ${request.url}`]
  if (handler) return handler(request, parts)
  const message = `Not Found. Url: ${request.url} was not found.`
  return answerPageCall(request, parts) ?? { statusCode: 404, body: { message } }
}

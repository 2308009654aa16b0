import { readClaims } from './check-token.ts'
import type { ReportEvents } from './emit-events.ts'
import type { ReportActions } from './report-actions.ts'
import { describePage, isPageName, PAGES } from './report-pages.ts'
import { flawOfSession, loadSession, permittedScope, type Session } from './session.ts'

/** A request of the embedding page, as powerbi-client posts it (http-post-message). */
interface HostRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

/** What the report answers; `afterwards` runs once the answer has been posted, so that events come behind it. */
interface Answer {
  statusCode: number
  body?: unknown
  afterwards?: () => void
}

function isHostRequest(data: unknown): data is HostRequest {
  return typeof data === 'object' && data !== null && 'method' in data && 'url' in data
}

/** The parts of the page that an answer may set going. */
export interface Parts {
  session: Session
  events: ReportEvents
  actions: ReportActions
  /** Draws what the session holds, then says `rendered`. */
  draw: () => void
  watchToken: () => void
  showFailure: (message: string) => void
}

type Handler = (request: HostRequest, parts: Parts) => Answer

function load({ headers, body }: HostRequest, parts: Parts): Answer {
  const { session, events, actions } = parts
  // The uid changes when the host reuses the frame for another embed.
  loadSession(session, headers.uid ?? session.uid, (body ?? {}) as Record<string, unknown>)
  const afterwards = () => {
    parts.watchToken()
    if (!actions.isOpen()) return parts.showFailure('Não foi possível abrir este relatório.')
    events.loaded()
    parts.draw()
  }
  return { statusCode: 202, body: {}, afterwards }
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

/** The calls of powerbi-client that the portal makes it send; the rest are 404. */
const HANDLERS: Record<string, Handler> = {
  'POST /frontload/config': () => ({ statusCode: 200, body: {} }),
  'POST /report/load': load,
  'POST /report/token': takeToken,
  'GET /report/pages': (_, { session }) => ({
    statusCode: 200,
    body: PAGES.map(({ name }) => describePage(name, session.page)),
  }),
  'POST /report/print': () => ({ statusCode: 202, body: null, afterwards: () => window.print() }),
}

export function answerHost(request: HostRequest, parts: Parts): Answer {
  const { method, url } = request
  const handler = HANDLERS[`${method} ${url}`]
  if (handler) return handler(request, parts)
  const [, name, layout] = /^\/report\/pages\/([^/]+)\/layoutTypes\/(\w+)$/.exec(url) ?? []
  // `page.hasLayout()`
  if (method === 'GET' && isPageName(name) && layout)
    return { statusCode: 200, body: /MobilePortrait|Master/.test(layout) }
  return { statusCode: 404, body: { message: `Not Found. Url: ${url} was not found.` } }
}

/**
 * Listens to the embedding page and gives back what posts requests to it. Must run while the document is being
 * parsed: the host posts `/report/load` as soon as the frame's load event has fired.
 */
export function connectHost(answer: (request: HostRequest) => Answer) {
  const host = window.parent
  // Known from the first message on; before it only `ready` is posted, which holds nothing secret.
  let hostOrigin = '*'

  window.addEventListener('message', (event) => {
    if (event.source !== host || !isHostRequest(event.data)) return
    const { method, url, headers = {}, body } = event.data
    hostOrigin = event.origin === 'null' ? '*' : event.origin
    let reply: Answer
    try {
      reply = answer({ method, url, headers, body })
    } catch (error) {
      reply = { statusCode: 500, body: { message: String(error) } }
    }
    const message = { statusCode: reply.statusCode, headers: { id: headers.id }, body: reply.body ?? null }
    host.postMessage(message, hostOrigin)
    reply.afterwards?.()
  })

  return function post(url: string, body: unknown): void {
    const id = Math.random().toString(36).slice(2)
    host.postMessage({ method: 'POST', url, headers: { id }, body }, hostOrigin)
  }
}

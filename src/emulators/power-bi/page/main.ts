import './style.css'
import { ESTADOS, MARCAS } from '#contract/seeded-catalogue.ts'
import { findReport } from '#emulators/power-bi/catalogue.ts'
import { type ReportError, readClaims } from './check-token.ts'
import { type Answer, connectHost, type HostRequest } from './connect-host.ts'
import { applyLayout, drawReport, type ReportActions, showExpired, showNotice } from './draw-report.ts'
import {
  captureState,
  createSession,
  describePages,
  findSessionError,
  getPermittedScope,
  isPageName,
  loadSession,
  readBookmark,
  readState,
} from './session.ts'
import { parseLinkFilter, type ReportFilter, replaceFilter, toFilter } from './update-filters.ts'

// Removes the script, which holds the data of all brands, unlike the real service's page.
document.currentScript?.remove()

const address = new URLSearchParams(window.location.search)
const uid = address.get('uid') ?? ''
/** The lists served with the page; an unserved build has the defaults. */
const { marcas, estados } = document.getElementById('report')?.dataset ?? {}
const session = createSession(uid, {
  marcas: marcas?.split(',') ?? MARCAS,
  estados: estados?.split(',') ?? ESTADOS,
})
const post = connectHost(answerHost)
window.addEventListener('resize', () => applyLayout(session))

/** Emits an event to powerbi-client; a share link has no host. */
function emit(name: string, body: unknown = {}): void {
  // Paginated reports only emit errors
  // (learn.microsoft.com/power-bi/paginated-reports/paginated-reports-embed).
  if (session.report?.isPaginated && name !== 'error') return
  if (session.kind === 'embedded') post(`/reports/${session.uid}/events/${name}`, body)
}

const emitError = (error: ReportError) =>
  emit('error', { ...error, level: 6, technicalDetails: { requestId: crypto.randomUUID() } })

/** Checks whether the token allows the report, and emits the error if not. */
function isOpen(): boolean {
  const error = findSessionError(session)
  if (error) emitError(error)
  return !error
}

function draw(): void {
  drawReport(session, actions)
  // No animation frame: hidden tabs have none, and the host would wait forever.
  setTimeout(() => emit('rendered'), 20)
}

/** With an expired token they only emit an error event, as in Power BI. */
const actions: ReportActions = {
  openPage(name) {
    if (name === session.page || !isOpen()) return
    Object.assign(session, { page: name, selection: undefined })
    const newPage = describePages(name).find(({ isActive }) => isActive)
    emit('pageChanged', { initiator: 'user', newPage })
    draw()
  },
  toggle(column, value, isAdding) {
    if (!isOpen()) return
    const current = session.selection?.column === column ? session.selection.values : []
    const kept = isAdding ? current.filter((each) => each !== value) : []
    const isDeselected = current.includes(value) && (isAdding || current.length === 1)
    const values = isDeselected ? kept : [...kept, value]
    session.selection = values.length > 0 ? { column, values } : undefined
    emit('visualClicked')
    emit('dataSelected')
    draw()
  },
  clearSelection() {
    if (!isOpen()) return
    session.selection = undefined
    emit('buttonClicked')
    draw()
  },
  clickVisual() {
    if (isOpen()) emit('visualClicked')
  },
  filterByReader(column, values) {
    if (!isOpen()) return
    session.filters = replaceFilter(session.filters, toFilter(column, values))
    session.selection = undefined
    emit('filtersApplied', { initiator: 'user' })
    draw()
  },
}

const UNKNOWN_BOOKMARK = {
  message: 'Could not apply bookmark',
  errorCode: '',
  detailedMessage: 'Unknown state',
}

function load({ headers, body }: HostRequest): Answer {
  // The uid changes when the host reuses the frame for another embed.
  loadSession(session, headers.uid ?? session.uid, (body ?? {}) as Record<string, unknown>)
  const afterReply = () => {
    watchToken()
    if (!isOpen()) return showNotice('Não foi possível abrir este relatório.')
    const { bookmark } = body as { bookmark?: unknown }
    if (bookmark && !readBookmark(bookmark)) emitError(UNKNOWN_BOOKMARK)
    emit('loaded', { initiator: 'sdk' })
    draw()
  }
  return { statusCode: 202, body: {}, afterReply }
}

/** Applies `bookmarksManager.applyState`. */
function applyBookmark({ body }: HostRequest): Answer {
  const state = readState((body as { state?: string } | null)?.state)
  if (!state) return { statusCode: 400, body: UNKNOWN_BOOKMARK }
  const isOtherPage = state.page !== session.page
  Object.assign(session, state)
  const afterReply = () => {
    const newPage = describePages(session.page).find(({ isActive }) => isActive)
    if (isOtherPage) emit('pageChanged', { initiator: 'sdk', newPage })
    emit('bookmarkApplied')
    draw()
  }
  return { statusCode: 202, afterReply }
}

/** models.FiltersOperations.Replace */
const REPLACE = 3

/** Applies `report.updateFilters`. */
function updateFilters({ body }: HostRequest): Answer {
  const { filtersOperation, filters } = body as { filtersOperation: number; filters: ReportFilter[] }
  if (filtersOperation !== REPLACE) return { statusCode: 501, body: { message: 'Only Replace is emulated.' } }
  session.filters = filters.reduce<ReportFilter[]>(replaceFilter, session.filters)
  const afterReply = () => {
    emit('filtersApplied', { initiator: 'sdk', filters: session.filters })
    draw()
  }
  return { statusCode: 202, afterReply }
}

function renewToken({ body }: HostRequest): Answer {
  // …/power-bi/developer/embedded/embed-paginated-reports: only a reload takes another token.
  if (session.report?.isPaginated)
    return { statusCode: 400, body: { message: 'This API is currently not supported for RDL reports' } }
  const shown = findSessionError(session) ? '' : JSON.stringify(getPermittedScope(session))
  session.claims = readClaims(String(body ?? ''))
  const afterReply = () => {
    watchToken()
    // A renewal before the expiry does not redraw.
    if (isOpen() && shown !== JSON.stringify(getPermittedScope(session))) draw()
  }
  return { statusCode: 202, afterReply }
}

/** `setPage()`: an unknown page is refused. */
function openActivePage({ body }: HostRequest): Answer {
  const { name } = body as { name?: string }
  if (!isPageName(name)) return { statusCode: 400, body: { message: 'invalidPageName' } }
  return { statusCode: 202, afterReply: () => actions.openPage(name) }
}

/** Answers for a page: `hasLayout()`, `getFilters()`, `getSlicers()` and their `getSlicerState()`. */
function answerPage(part: string, rest = ''): unknown {
  if (part === 'layoutTypes') return /MobilePortrait|Master/.test(rest)
  if (part === 'filters') return []
  const { selection } = session
  // A chart that is pressed acts as a slicer.
  if (part === 'visuals' && !rest) return selection ? [{ name: selection.column, type: 'slicer' }] : []
  return selection && rest === `${selection.column}/slicer`
    ? { filters: [toFilter(selection.column, selection.values)] }
    : undefined
}

/** Answers the calls of powerbi-client that the portal uses; others get 404. */
function answerHost(request: HostRequest): Answer {
  const { method, url } = request
  switch (`${method} ${url}`) {
    case 'POST /frontload/config':
      return { statusCode: 200, body: {} }
    case 'POST /report/load':
      return load(request)
    case 'POST /report/token':
      return renewToken(request)
    case 'PUT /report/pages/active':
      return openActivePage(request)
    case 'GET /report/pages':
      return { statusCode: 200, body: describePages(session.page) }
    case 'POST /report/bookmarks/capture':
      return { statusCode: 200, body: { name: '', displayName: '', state: captureState(session) } }
    case 'POST /report/bookmarks/applyState':
      return applyBookmark(request)
    case 'GET /report/filters':
      return { statusCode: 200, body: session.filters }
    case 'POST /report/filters':
      return updateFilters(request)
    case 'POST /report/refresh':
      return { statusCode: 202, afterReply: () => isOpen() && draw() }
    case 'POST /report/print':
      return { statusCode: 202, afterReply: () => window.print() }
  }
  const [, name, part, rest] = /^\/report\/pages\/([^/]+)\/(\w+)(?:\/(.+))?$/.exec(url) ?? []
  const body = method === 'GET' && isPageName(name) && part && answerPage(part, rest)
  if (body !== undefined && body !== false) return { statusCode: 200, body }
  return { statusCode: 404, body: { message: `Not Found. Url: ${url} was not found.` } }
}

const LONGEST_TIMER = 2 ** 31 - 1
let tokenTimer = 0
let reported: unknown

/** Emits TokenExpired at the token's expiry, once per token. */
function checkToken(): void {
  const { claims } = session
  if (!claims || session.kind !== 'embedded' || reported === claims) return
  const left = claims.exp * 1000 - Date.now()
  window.clearTimeout(tokenTimer)
  if (left > 0) {
    tokenTimer = window.setTimeout(checkToken, Math.min(left, LONGEST_TIMER))
    return
  }
  reported = claims
  // A paginated report dies without an event.
  if (!session.report?.isPaginated) isOpen()
  showExpired()
}
// Timers do not run while a machine sleeps.
document.addEventListener('visibilitychange', checkToken)

/** Starts watching the current token. */
function watchToken(): void {
  window.clearTimeout(tokenTimer)
  // An already expired token was rejected by the load.
  if (session.claims && session.claims.exp * 1000 <= Date.now()) reported = session.claims
  checkToken()
}

/** Polls scripted error events once a second; stops without the endpoint. */
function watchFaults(): void {
  const timer = window.setInterval(async () => {
    if (session.kind !== 'embedded' || !session.report) return
    const response = await fetch('frame-faults').catch(() => undefined)
    if (!response?.ok) return window.clearInterval(timer)
    const faults: Parameters<typeof emitError>[0][] = await response.json()
    faults.forEach(emitError)
  }, 1_000)
}

/** Opens a share link: the report is in the URL and there is no host. */
function openLink(): void {
  session.report = findReport(address.get('reportId') ?? '')
  if (!session.report) {
    showNotice('Este relatório não existe.')
    return
  }
  session.kind = 'link'
  // All count, in both spellings: learn.microsoft.com/power-bi/collaborate-share/service-embed-secure
  session.filters = [...address].flatMap(([name, value]) =>
    /^\$?filter$/i.test(name.trim()) ? parseLinkFilter(value) : [],
  )
  // learn.microsoft.com/power-bi/developer/embedded/configure-report-settings
  for (const pane of ['filterPaneEnabled', 'navContentPaneEnabled'] as const)
    if (address.get(pane) === 'false') session.settings[pane] = false
  draw()
}

if (address.get('autoAuth') === 'true') openLink()
else if (window.parent === window) showNotice('Este relatório só abre dentro do portal.')
else {
  watchFaults()
  if (uid) post(`/ready/${uid}`, {})
}

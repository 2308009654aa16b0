import { type EmulatedReport, reportOfId } from '#emulators/power-bi/catalogue.ts'
import { type AreaModel, modelOfArea } from '#emulators/power-bi/data-set-areas.ts'
import type { Scope } from '#emulators/power-bi/data-set-sums.ts'
import {
  flawOfToken,
  type ReportError,
  readClaims,
  scopeOfIdentity,
  type TokenClaims,
} from './check-token.ts'
import { isPageName, PAGES, type PageName } from './report-pages.ts'
import { type FilterColumn, type ReportFilter, readFilters, valuesLeft } from './update-filters.ts'

/** The part of powerbi-models' ISettings that the page obeys. */
interface ReportSettings {
  panes?: { filters?: { visible?: boolean; expanded?: boolean }; pageNavigation?: { visible?: boolean } }
  filterPaneEnabled?: boolean
  navContentPaneEnabled?: boolean
  layoutType?: number
}

/** Values picked in a chart, which narrow the other visuals of the page. */
export interface Selection {
  column: FilterColumn
  values: string[]
}

/** What the frame knows; one object for the frame's life, loaded anew by each `/report/load`. */
export interface Session {
  uid: string
  /** What the reports of the tenant have records of. */
  data: Scope
  /** 'link' draws straight from the address (SSO), without a token. */
  kind: 'closed' | 'embedded' | 'link'
  report: EmulatedReport | undefined
  claims: TokenClaims | undefined
  filters: ReportFilter[]
  settings: ReportSettings
  page: PageName
  selection: Selection | undefined
}

export function createSession(uid: string, data: Scope): Session {
  return {
    uid,
    data,
    kind: 'closed',
    report: undefined,
    claims: undefined,
    filters: [],
    settings: {},
    page: PAGES[0].name,
    selection: undefined,
  }
}

/** What the address can show: paginated reports live at /rdlEmbed, all others at /reportEmbed. */
function reportAt(id: string): EmulatedReport | undefined {
  const report = reportOfId(id)
  const isRdl = window.location.pathname.endsWith('/rdlEmbed')
  return isRdl === (report?.isPaginated ?? false) ? report : undefined
}

/** Takes a load configuration (models.IReportLoadConfiguration) over into the session. */
export function loadSession(session: Session, uid: string, config: Record<string, unknown>): void {
  Object.assign(session, createSession(uid, session.data), {
    kind: 'embedded',
    report: reportAt(String(config.id ?? '')),
    claims: readClaims(String(config.accessToken ?? '')),
    filters: readFilters(config.filters),
    settings: config.settings ?? {},
    page: isPageName(config.pageName) ? config.pageName : PAGES[0].name,
  })
}

/** Why the report may not be shown or touched now; undefined when it may. */
export function flawOfSession(session: Session): ReportError | undefined {
  return session.kind === 'link' ? undefined : flawOfToken(session.claims, session.report)
}

export function modelOfSession(session: Session): AreaModel {
  const model = modelOfArea(session.report?.type ?? '')
  if (!model) throw new Error('no report is open')
  return model
}

/** What the reader may see at all, before filters: the token's identity, or everything behind a share link. */
export function permittedScope({ kind, data, claims, report }: Session): Scope {
  if (kind === 'link') return data
  return claims && report ? scopeOfIdentity(data, claims, report) : { marcas: [], estados: [] }
}

/** What is left of the permitted after the filters of host and reader. */
export function filteredScope(session: Session): Scope {
  const { marcas, estados } = permittedScope(session)
  return {
    marcas: valuesLeft(session.filters, 'Marca', marcas),
    estados: valuesLeft(session.filters, 'Estado', estados),
  }
}

/** The filtered scope narrowed by what is selected in a chart. */
export function selectedScope(session: Session): Scope {
  const scope = filteredScope(session)
  const { column, values } = session.selection ?? { column: undefined, values: [] }
  return {
    marcas: column === 'Marca' ? scope.marcas.filter((marca) => values.includes(marca)) : scope.marcas,
    estados: column === 'Estado' ? scope.estados.filter((estado) => values.includes(estado)) : scope.estados,
  }
}

import { type EmulatedReport, findReport } from '#emulators/power-bi/catalogue.ts'
import type { Scope } from '#emulators/power-bi/data-set-sums.ts'
import {
  findTokenError,
  type ReportError,
  readClaims,
  toScope,
  type TokenClaims,
} from './check-token.ts'
import {
  createBasicFilter,
  type FilterColumn,
  type ReportFilter,
  readFilters,
  filterValues,
} from './update-filters.ts'

export const PAGES = [
  { name: 'visao-geral', displayName: 'Visão geral' },
  { name: 'detalhe-por-estado', displayName: 'Detalhe por estado' },
] as const
export type PageName = (typeof PAGES)[number]['name']

export const isPageName = (name: unknown): name is PageName => PAGES.some((page) => page.name === name)

/** The pages as powerbi-models' IPage describes them. */
export const describePages = (active: PageName) =>
  PAGES.map((page) => ({ ...page, isActive: page.name === active }))

/** The part of powerbi-models' ISettings that the page obeys. */
interface ReportSettings {
  panes?: { filters?: { visible?: boolean; expanded?: boolean }; pageNavigation?: { visible?: boolean } }
  filterPaneEnabled?: boolean
  navContentPaneEnabled?: boolean
  layoutType?: number
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
  /** Values picked in a chart, which narrow the other visuals of the page. */
  selection: { column: FilterColumn; values: string[] } | undefined
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
function findReportAtPath(id: string): EmulatedReport | undefined {
  const report = findReport(id)
  const isRdl = window.location.pathname.endsWith('/rdlEmbed')
  return isRdl === (report?.isPaginated ?? false) ? report : undefined
}

/** Takes a load configuration (models.IReportLoadConfiguration) over into the session. */
export function loadSession(session: Session, uid: string, config: Record<string, unknown>): void {
  Object.assign(session, createSession(uid, session.data), {
    kind: 'embedded',
    report: findReportAtPath(String(config.id ?? '')),
    claims: readClaims(String(config.accessToken ?? '')),
    filters: readFilters(config.filters),
    settings: config.settings ?? {},
    page: isPageName(config.pageName) ? config.pageName : PAGES[0].name,
  })
}

/** Why the report may not be shown or touched now; undefined when it may. */
export function findSessionError(session: Session): ReportError | undefined {
  return session.kind === 'link' ? undefined : findTokenError(session.claims, session.report)
}

/** What the reader may see at all, before filters: the token's identity, or everything behind a share link. */
export function getPermittedScope({ kind, data, claims, report }: Session): Scope {
  if (kind === 'link') return data
  return claims && report ? toScope(data, claims, report) : { marcas: [], estados: [] }
}

const applyFilters = ({ marcas, estados }: Scope, filters: readonly ReportFilter[]): Scope => ({
  marcas: filterValues(filters, 'Marca', marcas),
  estados: filterValues(filters, 'Estado', estados),
})

/** What is left of the permitted after the filters of host and reader. */
export const getFilteredScope = (session: Session) => applyFilters(getPermittedScope(session), session.filters)

/** The filtered scope narrowed by what is selected in a chart. */
export function getSelectedScope(session: Session): Scope {
  const { selection } = session
  return applyFilters(getFilteredScope(session), selection ? [createBasicFilter(selection.column, selection.values)] : [])
}

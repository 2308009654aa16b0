import { type EmulatedReport, findReport } from '#emulators/power-bi/catalogue.ts'
import type { Scope } from '#emulators/power-bi/data-set-sums.ts'
import { findTokenError, type ReportError, readClaims, type TokenClaims, toScope } from './check-token.ts'
import {
  type FilterColumn,
  filterValues,
  type ReportFilter,
  readFilters,
  toFilter,
} from './update-filters.ts'

export const PAGES = [
  { name: 'visao-geral', displayName: 'Visão geral' },
  { name: 'detalhe-por-estado', displayName: 'Detalhe por estado' },
] as const
export type PageName = (typeof PAGES)[number]['name']

export const isPageName = (name: unknown): name is PageName => PAGES.some((page) => page.name === name)

/** Returns the pages as IPage of powerbi-models. */
export const describePages = (active: PageName) =>
  PAGES.map((page) => ({ ...page, isActive: page.name === active }))

/** The supported part of ISettings of powerbi-models. */
interface ReportSettings {
  panes?: { filters?: { visible?: boolean; expanded?: boolean }; pageNavigation?: { visible?: boolean } }
  filterPaneEnabled?: boolean
  navContentPaneEnabled?: boolean
  layoutType?: number
}

/** The state of the frame; one object, reset by each `/report/load`. */
export interface Session {
  uid: string
  /** The brands and states of the tenant's data. */
  data: Scope
  /** 'link' draws from the URL (SSO), without a token. */
  kind: 'closed' | 'embedded' | 'link'
  report: EmulatedReport | undefined
  claims: TokenClaims | undefined
  filters: ReportFilter[]
  settings: ReportSettings
  page: PageName
  /** Values selected in a chart, which filter the other visuals of the page. */
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

/** Finds a report for this path: paginated ones at /rdlEmbed, all others at /reportEmbed. */
function findReportAtPath(id: string): EmulatedReport | undefined {
  const report = findReport(id)
  const isRdl = window.location.pathname.endsWith('/rdlEmbed')
  return isRdl === (report?.isPaginated ?? false) ? report : undefined
}

/** Loads a configuration (models.IReportLoadConfiguration) into the session. */
export function loadSession(session: Session, uid: string, config: Record<string, unknown>): void {
  Object.assign(session, createSession(uid, session.data), {
    kind: 'embedded',
    report: findReportAtPath(String(config.id ?? '')),
    claims: readClaims(String(config.accessToken ?? '')),
    filters: readFilters(config.filters),
    settings: config.settings ?? {},
    page: isPageName(config.pageName) ? config.pageName : PAGES[0].name,
    ...readBookmark(config.bookmark),
  })
}

/** What a bookmark restores. */
type BookmarkedState = Pick<Session, 'page' | 'filters' | 'selection'>

/** Captures the state of a report as IReportBookmark does: opaque base64, without its data. */
export function captureState({ page, filters, selection }: Session): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ page, filters, selection }))
  return btoa(String.fromCharCode(...bytes))
}

/** Reads a captured state; undefined if the report no longer understands it. */
export function readState(state: unknown): BookmarkedState | undefined {
  try {
    const bytes = Uint8Array.from(atob(String(state)), (char) => char.charCodeAt(0))
    const { page, filters, selection } = JSON.parse(new TextDecoder().decode(bytes))
    return isPageName(page) && Array.isArray(filters) ? { page, filters, selection } : undefined
  } catch {
    return undefined
  }
}

/** Reads a bookmark of a load (models.IApplyBookmarkRequest): a state, or the name of the saved one. */
export function readBookmark(bookmark: unknown): BookmarkedState | undefined {
  const { name, state } = (bookmark ?? {}) as { name?: string; state?: string }
  if (name === undefined) return readState(state)
  if (name !== 'Bookmarkeb9e787c137d047a58b9') return undefined
  return { page: 'detalhe-por-estado', filters: [toFilter('Marca', ['FIAT'])], selection: undefined }
}

/** Returns the error that prevents showing the report now. */
export function findSessionError(session: Session): ReportError | undefined {
  return session.kind === 'link' ? undefined : findTokenError(session.claims, session.report)
}

/** Returns the scope before filters: that of the token's identity, or all for a share link. */
export function getPermittedScope({ kind, data, claims, report }: Session): Scope {
  if (kind === 'link') return data
  return claims && report ? toScope(data, claims, report) : { marcas: [], estados: [] }
}

const applyFilters = ({ marcas, estados }: Scope, filters: readonly ReportFilter[]): Scope => ({
  marcas: filterValues(filters, 'Marca', marcas),
  estados: filterValues(filters, 'Estado', estados),
})

/** Returns the permitted scope after the filters of host and reader. */
export const getFilteredScope = (session: Session) =>
  applyFilters(getPermittedScope(session), session.filters)

/** Returns the filtered scope after the selection in a chart. */
export function getSelectedScope(session: Session): Scope {
  const { selection } = session
  return applyFilters(
    getFilteredScope(session),
    selection ? [toFilter(selection.column, selection.values)] : [],
  )
}

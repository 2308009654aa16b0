import type { OwnReports, ReportArea } from '#contract/reports.ts'
import { callApi } from '#web/http/api.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import { LAST_REPORT_KEY } from '#web/session/session-store.ts'
import { ISSUE_TIMEOUT_MS, issueEmbedToken } from './embed/issue-embed-token.ts'
import type { TokenOutcome, TokenRequest } from './embed/token-book.ts'

/** One tab of the reports screen; its key changes with anything that must give the report a new frame. */
export type ReportTab = { key: string; area: string } & (
  | { kind: 'no-scope' }
  | { kind: 'shared'; reportUrl: string }
  | { kind: 'embedded'; request: TokenRequest }
)

/**
 * The tabs of a person's areas, in the order given, and the areas whose setting is incomplete and that get
 * none. Without marcas or estados a tab stays, but shows nothing.
 */
export function tabsOf({ areas, marcas, estados }: OwnReports): { tabs: ReportTab[]; incomplete: string[] } {
  const hasScope = marcas.length > 0 && estados.length > 0
  const all = areas.map((area) => ({
    area: area.type,
    tab: tabOf(area, JSON.stringify([area, marcas, estados]), hasScope),
  }))
  return {
    tabs: all.flatMap(({ tab }) => tab ?? []),
    incomplete: all.flatMap(({ area, tab }) => (tab ? [] : area)),
  }
}

function tabOf(area: ReportArea, key: string, hasScope: boolean): ReportTab | undefined {
  const { embedMode, workspaceId, reportId, datasetId, reportUrl } = area
  const tab = { key, area: area.type }
  if (embedMode === 'service_principal') {
    if (!workspaceId || !reportId) return undefined
    if (hasScope) return { ...tab, kind: 'embedded', request: { ...tab, workspaceId, reportId, datasetId } }
  } else if (hasScope) return reportUrl ? { ...tab, kind: 'shared', reportUrl } : undefined
  // Without scope the server holds the URL back.
  return { ...tab, kind: 'no-scope' }
}

/** The reports whose frame may start before anything has been asked: that of the open area, and that of the first one. */
interface LastReports extends Pick<OwnReports, 'emailVerified' | 'marcas' | 'estados'> {
  userId: string
  open: ReportArea | undefined
  first: ReportArea | undefined
}

/**
 * Remembers which report is open, by its ids and what its frame depends on, never by a token. Signing out forgets it.
 * Links of SSO mode are not kept.
 */
export function rememberReport(userId: string, reports: OwnReports, openArea: string): void {
  const { areas, emailVerified, marcas, estados } = reports
  const { tabs } = tabsOf(reports)
  const embedded = (area: string | undefined) =>
    tabs.some((tab) => tab.kind === 'embedded' && tab.area === area)
      ? areas.find(({ type }) => type === area)
      : undefined
  const [open, first] = [embedded(openArea), embedded(tabs[0]?.area)]
  const last: LastReports = { userId, emailVerified, marcas, estados, open, first }
  sharedStorage.set(LAST_REPORT_KEY, JSON.stringify(last))
}

/**
 * What was remembered for this person, as if it were all that they may see.
 * @param area the one in the address; without it the first one opens
 */
export function recallReport(userId: string, area: string | undefined): OwnReports | undefined {
  try {
    const last: LastReports | null = JSON.parse(sharedStorage.get(LAST_REPORT_KEY) ?? 'null')
    if (last?.userId !== userId) return undefined
    const { emailVerified, marcas, estados, open, first } = last
    const report = area === undefined ? first : [open, first].find((each) => each?.type === area)
    const reports = {
      approved: true,
      endedOn: null,
      emailVerified,
      areas: report ? [report] : [],
      marcas,
      estados,
    }
    return tabsOf(reports).tabs[0]?.kind === 'embedded' ? reports : undefined
  } catch {
    return undefined
  }
}

interface RememberedReport {
  request: TokenRequest
  scope: Pick<OwnReports, 'marcas' | 'estados'>
}

/** What was asked for before the screen was there to ask: each answer is taken once, by whoever would have asked. */
let ahead:
  | {
      userId: string
      askedAt: number
      reports: Promise<OwnReports> | undefined
      ids?: string
      token?: Promise<TokenOutcome> | undefined
    }
  | undefined

const aheadOf = (userId: string) =>
  ahead?.userId === userId && Date.now() - ahead.askedAt < ISSUE_TIMEOUT_MS ? ahead : undefined

const idsOf = ({ workspaceId, reportId, datasetId }: TokenRequest) =>
  [workspaceId, reportId, datasetId].join(' ')

/**
 * Asks for the person's reports and, beside them, for the token of the remembered one. Whether the person may have it
 * the server decides as ever; nobody learns of a refusal unless the report turns out to be among the person's.
 * @param area the one in the address
 * @returns the remembered report, or undefined where there is none
 */
export function askAhead(userId: string, area: string | undefined): RememberedReport | undefined {
  const remembered = recallReport(userId, area)
  const tab = remembered && tabsOf(remembered).tabs[0]
  const last: RememberedReport | undefined =
    remembered && tab?.kind === 'embedded' ? { request: tab.request, scope: remembered } : undefined
  if (aheadOf(userId)) return last
  const reports = callApi('GET /api/reports/me')
  // Whoever takes it is told; until then nobody has asked.
  reports.catch(() => {})
  ahead = { userId, askedAt: Date.now(), reports }
  if (last)
    Object.assign(ahead, { ids: idsOf(last.request), token: issueEmbedToken(last.request, last.scope) })
  return last
}

/** Gives up what was asked for: it was asked in a session that is over. */
export function forgetAhead(): void {
  ahead = undefined
}

/** The answer to GET /reports/me that is on its way already, for the first who asks. */
export function takeReportsAhead(userId: string): Promise<OwnReports> | undefined {
  const early = aheadOf(userId)
  const reports = early?.reports
  if (early) early.reports = undefined
  return reports
}

/** The token that is on its way already, where it is this report's; any other is given up. */
export function takeTokenAhead(userId: string, request: TokenRequest): Promise<TokenOutcome> | undefined {
  const early = aheadOf(userId)
  const token = early?.ids === idsOf(request) ? early.token : undefined
  if (early) early.token = undefined
  return token
}

import type { OwnReports, ReportArea } from '#contract/reports.ts'
import type { TokenRequest } from './embed/token-book.ts'

/** One tab of the reports screen; its key changes with anything that must give the report a new frame. */
export type ReportTab = { key: string; area: string } & (
  | { kind: 'no-scope' }
  | { kind: 'shared'; reportUrl: string }
  | { kind: 'embedded'; request: TokenRequest }
)

/**
 * The tabs of a person's areas, in the order given, and the areas whose setting is incomplete and that get
 * none (SPEC section 5, report tab creation). Without marcas or estados a tab stays, but shows nothing.
 */
export function tabsOf({ areas, marcas, estados }: OwnReports): { tabs: ReportTab[]; incomplete: string[] } {
  const tabs: ReportTab[] = []
  const incomplete: string[] = []
  const hasScope = marcas.length > 0 && estados.length > 0
  for (const area of areas) {
    const key = JSON.stringify([area, marcas, estados])
    const tab = isComplete(area, hasScope) && tabOf(area, key, hasScope)
    if (tab) tabs.push(tab)
    else incomplete.push(area.type)
  }
  return { tabs, incomplete }
}

function isComplete({ embedMode, workspaceId, reportId, reportUrl }: ReportArea, hasScope: boolean): boolean {
  if (embedMode === 'service_principal') return Boolean(workspaceId && reportId)
  // Without scope the server holds the address back.
  return Boolean(reportUrl) || !hasScope
}

function tabOf(area: ReportArea, key: string, hasScope: boolean): ReportTab {
  const { type, workspaceId, reportId, datasetId } = area
  if (!hasScope) return { key, area: type, kind: 'no-scope' }
  if (area.embedMode === 'secure_sso')
    return { key, area: type, kind: 'shared', reportUrl: area.reportUrl ?? '' }
  const ids = { workspaceId: workspaceId ?? '', reportId: reportId ?? '', datasetId }
  return { key, area: type, kind: 'embedded', request: { key, area: type, ...ids } }
}

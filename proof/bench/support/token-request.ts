import { EMULATED_REPORTS } from '#emulators/power-bi/catalogue.ts'
import type { Asked } from './ask.ts'

/** The browser's request for the embed token of an area's report. */
export function tokenRequest(token: string, type: string): Asked {
  const report = EMULATED_REPORTS.find((each) => each.type === type)
  if (!report) throw new Error(`no emulated report for ${type}`)
  const { workspaceId, reportId, datasetId } = report
  return {
    method: 'POST',
    path: '/api/functions/get-powerbi-token',
    token,
    body: { workspaceId, reportId, datasetId, marcas: [], estados: [] },
  }
}

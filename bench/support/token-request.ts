import { EMULATED_REPORTS } from '#emulators/power-bi/catalogue.ts'
import type { PlainRequest } from './send-requests.ts'

/** The browser's request for the embed token of an area's report. */
export function tokenRequest(accessToken: string, type: string): PlainRequest {
  const report = EMULATED_REPORTS.find((each) => each.type === type)
  if (!report) throw new Error(`no emulated report for ${type}`)
  const { workspaceId, reportId, datasetId } = report
  return {
    method: 'POST',
    path: '/api/functions/get-powerbi-token',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workspaceId, reportId, datasetId, marcas: [], estados: [] }),
  }
}

import type { EmulatedReport } from '#emulators/power-bi/catalogue.ts'
import { findAreaModel } from '#emulators/power-bi/data-set-areas.ts'
import { sumScope } from '#emulators/power-bi/data-set-sums.ts'
import { readState } from '#emulators/power-bi/page/session.ts'
import { filterValues, toFilter } from '#emulators/power-bi/page/update-filters.ts'
import { isObject, type Reply, refuse } from '#emulators/power-bi/reply.ts'
import { describeDataset } from './describe-report.ts'
import { buildPdf, buildPptx } from './export-file.ts'
import { checkIdentities } from './generate-token.ts'
import { readToken, signToken } from './signed-token.ts'

const FORMATS = {
  PDF: { extension: '.pdf', type: 'application/pdf', build: buildPdf },
  PPTX: {
    extension: '.pptx',
    type: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    build: buildPptx,
  },
}
/** How long an export waits, and how long it takes in all. */
const WAIT_MS = 1_000
const RUN_MS = 3_000
const KEPT_MS = 24 * 60 * 60_000

/** What an export id stands for, so that every emulator of the same secret knows it. */
interface StartedExport {
  reportId: string
  format: keyof typeof FORMATS
  startedAt: number
  username: string
  marcas: string[]
  estados: string[]
}

interface ExportRequest {
  secret: string
  /** ms since the epoch */
  now: number
  body: unknown
}

/**
 * Implements POST ExportTo (learn.microsoft.com/rest/api/power-bi/reports/export-to-file-in-group).
 */
export function startExport(report: EmulatedReport, { secret, now, body }: ExportRequest): Reply {
  const { format, powerBIReportConfiguration: config = {} } = isObject(body) ? body : {}
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format))
    return refuse(400, 'InvalidRequest', `Unsupported format ${format}`)
  const { identities = [], defaultBookmark } = isObject(config) ? config : {}
  if (!Array.isArray(identities) || !identities.every(isObject))
    return refuse(400, 'InvalidRequest', 'identities must be a list')
  const error = checkIdentities([describeDataset(report)], identities)
  if (error) return refuse(400, 'InvalidRequest', error)
  const { username = '', customData = '' } = (identities[0] ?? {}) as Record<string, string>
  const listCodes = (prefix: string) =>
    customData.split('|').flatMap((code) => (code.startsWith(prefix) ? [code.slice(prefix.length)] : []))
  const state = isObject(defaultBookmark) ? readState(defaultBookmark.state) : undefined
  const { selection } = state ?? {}
  const filters = [
    ...(state?.filters ?? []),
    ...(selection ? [toFilter(selection.column, selection.values)] : []),
  ]
  const started = {
    reportId: report.reportId,
    format: format as StartedExport['format'],
    startedAt: now,
    username,
    marcas: filterValues(filters, 'Marca', listCodes('M:')),
    estados: filterValues(filters, 'Estado', listCodes('U:')),
  } satisfies StartedExport
  // Standard base64, as the service's ids, such as Mi9C5419…PS4=.
  const id = Buffer.from(signToken(secret, 'export', started)).toString('base64')
  return { status: 202, body: describeExport(report, id, started, now) }
}

/** Finds the export of an id, which must be the report's. */
function findExport(report: EmulatedReport, id: string, secret: string): StartedExport | undefined {
  const token = Buffer.from(id, 'base64').toString()
  const started = readToken(secret, 'export', token) as StartedExport | undefined
  return started?.reportId === report.reportId ? started : undefined
}

/** GET exports/{id} (…/reports/get-export-to-file-status-in-group). */
export function answerExportStatus(
  report: EmulatedReport,
  id: string,
  { secret, now }: ExportRequest,
): Reply | undefined {
  const started = findExport(report, id, secret)
  if (!started) return undefined
  const body = describeExport(report, id, started, now)
  return body.percentComplete === 100
    ? { status: 200, body }
    : { status: 202, body, headers: { 'Retry-After': '1' } }
}

/** GET exports/{id}/file (…/reports/get-file-of-export-to-file-in-group). */
export function answerExportFile(
  report: EmulatedReport,
  id: string,
  { secret, now }: ExportRequest,
): Reply | undefined {
  const started = findExport(report, id, secret)
  if (!started || now < started.startedAt + RUN_MS) return undefined
  const { build, type } = FORMATS[started.format]
  const model = findAreaModel(report.type)
  const figures = model ? sumScope(model, started).cards : []
  const lines = [
    report.name,
    `Para ${started.username}`,
    `Marcas: ${started.marcas.join(', ')}`,
    `Estados: ${started.estados.join(', ')}`,
    ...figures.map(({ label, formatted }) => `${label}: ${formatted}`),
  ]
  return { status: 200, bytes: build(lines), headers: { 'Content-Type': type } }
}

function describeExport(report: EmulatedReport, id: string, started: StartedExport, now: number) {
  const { format, startedAt } = started
  const share = Math.min(1, Math.max(0, now - startedAt) / RUN_MS)
  const toInstant = (ms: number) => new Date(ms).toISOString()
  return {
    id,
    createdDateTime: toInstant(startedAt),
    lastActionDateTime: toInstant(now),
    reportId: report.reportId,
    reportName: report.name,
    status: share === 1 ? 'Succeeded' : now - startedAt < WAIT_MS ? 'NotStarted' : 'Running',
    percentComplete: now - startedAt < WAIT_MS ? 0 : Math.floor(share * 100),
    ...(share === 1 && {
      resourceLocation: `https://api.powerbi.com/v1.0/myorg/groups/${report.workspaceId}/reports/${report.reportId}/exports/${id}/file`,
      resourceFileExtension: FORMATS[format].extension,
      expirationTime: toInstant(startedAt + KEPT_MS),
    }),
  }
}

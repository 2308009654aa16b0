import type { ExportFormat } from '#contract/report-exports.ts'
import { checkReport } from './check-report.ts'
import { classifyFailure, ReportCheckError } from './classify-failure.ts'
import { NoAnswer, PowerBiRefusal } from './failures.ts'
import { isTemporary, type Step } from './outcomes.ts'
import type { EffectiveIdentity, ExportState, ReportRef } from './power-bi.ts'
import {
  getReportPath,
  type Model,
  type ModelSecurity,
  type ReportFacts,
  type Workspace,
} from './power-bi-calls.ts'
import type { PowerBiRest } from './power-bi-rest.ts'

export interface ExportWish {
  format: ExportFormat
  /** The captured state of the report; null as published. */
  state: string | null
}

interface ExportChecks {
  readReport: (report: ReportRef) => Promise<ReportFacts>
  readModelSecurity: (model: Model) => Promise<ModelSecurity>
  readWorkspace: (workspaceId: string) => Promise<Workspace>
  onStep: (step: Step) => void
}

/**
 * Checks that a report may be exported: its model has row-level security, even where reports without
 * it may be shown, and its workspace is on a capacity.
 * @returns the dataset's id
 * @throws ReportCheckError, and refusals of the service
 */
async function checkExport(checks: ExportChecks, report: ReportRef): Promise<string | undefined> {
  const { readReport, readWorkspace, onStep } = checks
  onStep('report')
  if ((await readReport(report)).isPaginated) throw new ReportCheckError('export-paginated')
  const { datasetId } = await checkReport({ ...checks, allowWithoutRls: false }, report)
  const workspace = await readWorkspace(report.workspaceId).catch(() => undefined)
  if (workspace?.isOnDedicatedCapacity === false) throw new ReportCheckError('export-without-capacity')
  return datasetId
}

/**
 * Starts an export with an identity (Power BI REST, 'Reports - Export To File In Group').
 * @returns its id
 */
export async function startExport(
  rest: PowerBiRest,
  checks: ExportChecks,
  { report, identity, format, state }: ExportWish & { report: ReportRef; identity: EffectiveIdentity },
): Promise<string> {
  const datasetId = await checkExport(checks, report)
  const body = {
    format: format.toUpperCase(),
    powerBIReportConfiguration: {
      identities: [{ ...identity, datasets: [datasetId] }],
      settings: { locale: 'pt-BR' },
      ...(state !== null && { defaultBookmark: { state } }),
    },
  }
  const { id } = await rest('POST', `${getReportPath(report)}/ExportTo`, body, { isOnce: true })
  if (typeof id !== 'string' || id === '') throw new NoAnswer('power-bi', 'no export id')
  return id
}

/** Reads how far an export is ('Reports - Get Export To File Status In Group'). */
export async function readExport(
  rest: PowerBiRest,
  report: ReportRef,
  exportId: string,
): Promise<ExportState> {
  let retryAfterSeconds: number | undefined
  const onRetryAfter = (seconds: number) => {
    retryAfterSeconds = seconds
  }
  try {
    const path = getExportPath(report, exportId)
    const { status, percentComplete } = await rest('GET', path, undefined, { onRetryAfter })
    const percent = Math.min(100, Math.max(0, Number(percentComplete) || 0))
    if (status === 'Failed') return { percent: 0, status: 'failed', retryAfterSeconds }
    return { percent, status: status === 'Succeeded' ? 'done' : 'running' }
  } catch (error) {
    // The service has forgotten the export.
    const { outcome } = classifyFailure(error, 'export-status')
    if (error instanceof PowerBiRefusal && error.status === 404 && !isTemporary(outcome))
      return { percent: 0, status: 'failed' }
    throw error
  }
}

export function getExportPath(report: ReportRef, exportId: string): string {
  return `${getReportPath(report)}/exports/${encodeURIComponent(exportId)}`
}

import type { ReportRef } from './power-bi.ts'
import type { CheckedReport, Model, ReportFacts } from './power-bi-calls.ts'
import { ReportCheckError, type Step } from './refusals.ts'

interface Checks {
  readReport: (report: ReportRef) => Promise<ReportFacts>
  readHasRowLevelSecurity: (model: Model) => Promise<boolean>
  allowWithoutRls: boolean
  /** Called before each step; a later refusal is classified by it. */
  onStep: (step: Step) => void
}

/**
 * Checks that a report uses the configured model and that the model has row-level security, unless
 * the installation allows reports without it.
 * @throws ReportCheckError, and refusals of the service
 */
export async function checkReport(checks: Checks, report: ReportRef): Promise<CheckedReport> {
  const { readReport, readHasRowLevelSecurity, allowWithoutRls, onStep } = checks
  onStep('report')
  const { isPaginated, model } = await readReport(report)
  const checked = { reportId: report.reportId, isPaginated }
  if (!model) {
    if (!allowWithoutRls) throw new ReportCheckError('paginated-sources')
    onStep('token')
    return { ...checked, datasetId: undefined, hasRowLevelSecurity: false }
  }
  if (report.datasetId && report.datasetId.toLowerCase() !== model.datasetId.toLowerCase())
    throw new ReportCheckError('dataset-mismatch')
  onStep('dataset')
  const hasRowLevelSecurity = await readHasRowLevelSecurity(model)
  if (!hasRowLevelSecurity && !allowWithoutRls) throw new ReportCheckError('without-rls')
  onStep('token')
  return { ...checked, datasetId: model.datasetId, hasRowLevelSecurity }
}

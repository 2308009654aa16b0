import { ReportCheckError } from './classify-failure.ts'
import type { Step } from './outcomes.ts'
import type { ReportRef } from './power-bi.ts'
import type { CheckedReport, Model, ModelSecurity, ReportFacts } from './power-bi-calls.ts'

interface Checks {
  readReport: (report: ReportRef) => Promise<ReportFacts>
  readModelSecurity: (model: Model) => Promise<ModelSecurity>
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
  const { readReport, readModelSecurity, allowWithoutRls, onStep } = checks
  onStep('report')
  const { isPaginated, model } = await readReport(report)
  const checked = { reportId: report.reportId, isPaginated }
  if (!model) {
    if (!allowWithoutRls || model === undefined) throw new ReportCheckError('paginated-sources')
    onStep('token')
    return { ...checked, datasetId: undefined, hasRowLevelSecurity: false }
  }
  if (report.datasetId && report.datasetId.toLowerCase() !== model.datasetId.toLowerCase())
    throw new ReportCheckError('dataset-mismatch')
  onStep('dataset')
  const { needsIdentity, hasRoles } = await readModelSecurity(model)
  if (!needsIdentity && !allowWithoutRls) throw new ReportCheckError('without-rls')
  if (needsIdentity && !hasRoles) throw new ReportCheckError('sso-connection')
  onStep('token')
  return { ...checked, datasetId: model.datasetId, hasRowLevelSecurity: needsIdentity }
}

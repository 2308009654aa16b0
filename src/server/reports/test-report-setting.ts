import { ESTADOS, MARCAS } from '#contract/catalogue.ts'
import type { ReportSettingInput, ReportTestOutcome } from '#contract/report-settings.ts'
import { isPublishedToWeb } from '#contract/report-settings.ts'
import type { Actor } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import type { PowerBi } from '#server/power-bi/power-bi.ts'
import { describeReportTest, NOT_TESTABLE, PUBLIC_LINK } from './describe-report-test.ts'
import { effectiveIdentityOf } from './effective-identity.ts'
import { columnsOf } from './save-report-setting.ts'

const LIMIT = { max: 10, windowSeconds: 60 }

export interface ReportTestTools {
  powerBi: PowerBi
  powerBiHosts: string[]
  rlsRoles: string[]
  takeFromLimit: TakeFromLimit
}

interface ReportTestReply {
  outcome: ReportTestOutcome
  message: string
  reportName: string | null
  refreshedAt: string | null
}

/**
 * Tries a setting out, saved or not, without changing anything. The embed token that it asks for is thrown
 * away, so it may be one for every brand and state, which is also right for an administrator who has none.
 * @throws ProblemError invalid-input, rate-limited
 */
export async function testReportSetting(
  { powerBi, powerBiHosts, rlsRoles, takeFromLimit }: ReportTestTools,
  { profile }: Actor,
  input: ReportSettingInput,
): Promise<ReportTestReply> {
  const { report_url, workspace_id, report_id, dataset_id } = columnsOf(input, powerBiHosts)
  if (report_url !== null) {
    const message = isPublishedToWeb(report_url) ? `${NOT_TESTABLE} ${PUBLIC_LINK}` : NOT_TESTABLE
    return { outcome: 'not-testable', message, reportName: null, refreshedAt: null }
  }
  await takeFromLimit(`test-report ${profile.user_id}`, LIMIT)
  const report = { workspaceId: workspace_id ?? '', reportId: report_id ?? '', datasetId: dataset_id }
  const everything = { email: profile.email, marcas: [...MARCAS], estados: [...ESTADOS] }
  const test = await powerBi.testReport(report, effectiveIdentityOf(everything, rlsRoles))
  return {
    outcome: test.outcome,
    message: describeReportTest(test, rlsRoles),
    reportName: test.reportName,
    refreshedAt: test.refreshedAt?.toISOString() ?? null,
  }
}

import { ProblemError } from '#server/http/problem-error.ts'
import { withinMs } from '#server/timing.ts'
import {
  classifyRefusal,
  type EffectiveIdentity,
  PassingFailure,
  PowerBiRefusal,
  type ReportRef,
  type ReportTest,
  type Step,
} from './power-bi.ts'
import {
  datasetPathOf,
  type PowerBiRest,
  readLastRefresh,
  readNeedsIdentity,
  readReport,
  reportPathOf,
  requestEmbedToken,
} from './power-bi-rest.ts'

/** The refresh time is an extra: the outcome does not wait longer for it. */
const REFRESH_MS = 2_000
const ALL_CALLS_MS = 7_500

/**
 * Tries a report out over a connection that remembers nothing: report, dataset, token, one after the other, so
 * that what is named is the first thing to mend.
 */
export async function testReport(
  rest: PowerBiRest,
  rules: { tokenMinutes: number; allowWithoutRls: boolean },
  { report, identity }: { report: ReportRef; identity: EffectiveIdentity },
): Promise<ReportTest> {
  // Filled in step by step, so that a time-out tells it too.
  const found: Omit<ReportTest, 'outcome'> = { reportName: null, refreshedAt: null, code: null }
  let step: Step = 'report'

  async function goThrough(): Promise<ReportTest['outcome']> {
    const reportPath = reportPathOf(report)
    const { name, datasetId } = await readReport(rest, reportPath)
    found.reportName = name
    step = 'dataset'
    const datasetPath = datasetPathOf(report, report.datasetId ?? datasetId)
    const needsIdentity = await readNeedsIdentity(rest, datasetPath)
    // The token request would not always compare them: V2 of it does not.
    if (report.datasetId && report.datasetId.toLowerCase() !== datasetId.toLowerCase())
      return 'dataset-mismatch'
    if (!needsIdentity && !rules.allowWithoutRls) return 'without-rls'
    step = 'token'
    const refreshed = withinMs(
      readLastRefresh(rest, datasetPath).catch(() => null),
      REFRESH_MS,
      () => null,
    )
    await requestEmbedToken(rest, reportPath, {
      datasetId,
      identity: needsIdentity ? identity : undefined,
      minutes: rules.tokenMinutes,
    })
    found.refreshedAt = await refreshed
    return 'ok'
  }

  const walk = goThrough().catch((error) => {
    const outcome = outcomeOf(error, step)
    if (outcome === 'refused') found.code = /^\w{1,60}$/.exec((error as PowerBiRefusal).code)?.[0] ?? null
    return outcome
  })
  const outcome = await withinMs(walk, ALL_CALLS_MS, () => 'service-down' as const)
  return { outcome, ...found }
}

function outcomeOf(error: unknown, step: Step): ReportTest['outcome'] {
  if (error instanceof PowerBiRefusal) return classifyRefusal(error, step)
  if (!(error instanceof ProblemError)) throw error
  // Only the directory refuses in this way; the service's own refusals are PowerBiRefusal.
  if (error.code === 'power-bi-rejected') return 'bad-credentials'
  return error.cause instanceof PassingFailure && error.cause.status === 429 ? 'rate-limited' : 'service-down'
}

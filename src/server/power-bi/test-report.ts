import { ProblemError } from '#server/http/problem-error.ts'
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
  withinMs,
} from './power-bi-rest.ts'

/** The refresh time is an extra: the outcome does not wait longer for it. */
const REFRESH_MS = 2_000
const ALL_CALLS_MS = 7_500

/** What the calls have found so far, step by step, so that a time-out tells it too. */
interface Progress extends Omit<ReportTest, 'outcome'> {
  step: Step
}

interface TestRules {
  tokenMinutes: number
  allowWithoutRls: boolean
}

interface Wanted {
  report: ReportRef
  identity: EffectiveIdentity
}

/**
 * Tries a report out over a connection that remembers nothing: report, dataset, token, one after the other, so
 * that what is named is the first thing to mend.
 */
export async function testReport(rest: PowerBiRest, rules: TestRules, wanted: Wanted): Promise<ReportTest> {
  const found: Progress = { step: 'report', reportName: null, refreshedAt: null, code: null }
  const walk = goThrough(rest, rules, wanted, found).catch((error) => outcomeOf(error, found))
  const outcome = await withinMs(walk, ALL_CALLS_MS, () => 'service-down' as const)
  const { reportName, refreshedAt, code } = found
  return { outcome, reportName, refreshedAt, code }
}

async function goThrough(
  rest: PowerBiRest,
  rules: TestRules,
  { report, identity }: Wanted,
  found: Progress,
): Promise<ReportTest['outcome']> {
  const reportPath = reportPathOf(report)
  const { name, datasetId } = await readReport(rest, reportPath)
  found.reportName = name
  found.step = 'dataset'
  const datasetPath = datasetPathOf(report, report.datasetId ?? datasetId)
  const needsIdentity = await readNeedsIdentity(rest, datasetPath)
  // The token request would not always compare them: V2 of it does not.
  if (report.datasetId && report.datasetId.toLowerCase() !== datasetId.toLowerCase())
    return 'dataset-mismatch'
  if (!needsIdentity && !rules.allowWithoutRls) return 'without-rls'
  found.step = 'token'
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

function outcomeOf(error: unknown, found: Progress): ReportTest['outcome'] {
  if (error instanceof PowerBiRefusal) {
    const outcome = classifyRefusal(error, found.step)
    if (outcome === 'refused') found.code = /^\w{1,60}$/.exec(error.code)?.[0] ?? null
    return outcome
  }
  if (!(error instanceof ProblemError)) throw error
  // Only the directory refuses in this way; the service's own refusals are PowerBiRefusal.
  if (error.code === 'power-bi-rejected') return 'bad-credentials'
  return error.cause instanceof PassingFailure && error.cause.status === 429 ? 'rate-limited' : 'service-down'
}

import { withTimeout } from '#contract/timing.ts'
import { checkReport } from './check-report.ts'
import type { EffectiveIdentity, LastRefresh, ReportRef, ReportTest } from './power-bi.ts'
import {
  getDatasetPath,
  readHasCapacity,
  readHasRowLevelSecurity,
  readLastRefresh,
  readReport,
  requestEmbedToken,
} from './power-bi-calls.ts'
import type { PowerBiRest } from './power-bi-rest.ts'
import { classifyError, type Step } from './refusals.ts'

/** Timeout of refresh time and capacity, which are optional. */
const EXTRAS_MS = 2_000

/** Tests report, dataset and token in sequence, without caches, up to the first failure. */
export async function testReport(
  rest: PowerBiRest,
  rules: { tokenMinutes: number; allowWithoutRls: boolean; testMs: number },
  { report, identity }: { report: ReportRef; identity: EffectiveIdentity },
): Promise<Omit<ReportTest, 'certificateEndsAt'>> {
  // Filled step by step, so that a timeout reports it too.
  const found: Omit<ReportTest, 'outcome' | 'certificateEndsAt'> = {
    reportName: null,
    refreshedAt: null,
    code: null,
    requestId: null,
  }
  let step: Step = 'report'
  let hasCapacity: Promise<boolean | undefined> = Promise.resolve(undefined)
  const limitExtras = <T>(work: Promise<T>) =>
    withTimeout(
      work.catch(() => undefined),
      EXTRAS_MS,
      () => undefined,
    )

  async function runSteps(): Promise<ReportTest['outcome']> {
    let refreshed: Promise<LastRefresh | undefined> = Promise.resolve(undefined)
    const workspaces = new Set([report.workspaceId])
    const checked = await checkReport(
      {
        async readReport() {
          const facts = await readReport(rest, report)
          found.reportName = facts.name
          return facts
        },
        async readHasRowLevelSecurity(model) {
          workspaces.add(model.workspaceId)
          const path = getDatasetPath(model)
          const answer = await readHasRowLevelSecurity(rest, path)
          refreshed = limitExtras(readLastRefresh(rest, path))
          return answer
        },
        allowWithoutRls: rules.allowWithoutRls,
        onStep: (next) => {
          step = next
        },
      },
      report,
    )
    const capacities = [...workspaces].map((id) => readHasCapacity(rest, id))
    hasCapacity = limitExtras(Promise.all(capacities).then((all) => !all.includes(false)))
    await requestEmbedToken(rest, { report: checked, identity, minutes: rules.tokenMinutes })
    found.refreshedAt = (await refreshed)?.refreshedAt ?? null
    return (await hasCapacity) === false ? 'no-capacity' : 'ok'
  }

  const run = runSteps().catch(async (error) => {
    const { outcome, code, requestId } = classifyError(error, step)
    Object.assign(found, { code, requestId })
    // Without a capacity, the service refuses silently once its trial tokens are used up.
    return outcome === 'embedding-off' && (await hasCapacity) === false ? 'no-capacity' : outcome
  })
  const outcome = await withTimeout(run, rules.testMs, () => 'service-down' as const)
  return { outcome, ...found }
}

import { withTimeout } from '#contract/timing.ts'
import { checkReport } from './check-report.ts'
import { classifyFailure } from './classify-failure.ts'
import type { Step } from './outcomes.ts'
import type { EffectiveIdentity, LastRefresh, ReportRef, ReportTest } from './power-bi.ts'
import {
  type Capacity,
  getDatasetPath,
  listCapacities,
  readLastRefresh,
  readModelSecurity,
  readReport,
  readWorkspace,
  requestEmbedToken,
  type Workspace,
} from './power-bi-calls.ts'
import type { PowerBiRest } from './power-bi-rest.ts'

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
    step: 'report',
    code: null,
    requestId: null,
    answer: null,
  }
  let step: Step = 'report'
  let capacityFault: Promise<CapacityFault | undefined> = Promise.resolve(undefined)
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
        async readModelSecurity(model) {
          workspaces.add(model.workspaceId)
          const path = getDatasetPath(model)
          const answer = await readModelSecurity(rest, path)
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
    capacityFault = Promise.all([
      Promise.all([...workspaces].map((id) => limitExtras(readWorkspace(rest, id)))),
      limitExtras(listCapacities(rest)),
    ]).then(([known, capacities]) => findCapacityFault(known, capacities ?? []))
    await requestEmbedToken(rest, { report: checked, identity, minutes: rules.tokenMinutes })
    const { refreshedAt = null, failure } = (await refreshed) ?? {}
    found.refreshedAt = refreshedAt
    const fault = await capacityFault
    if (!failure || (fault && fault !== 'capacity-unknown')) return fault ?? 'ok'
    found.refreshEnd = failure.how
    return 'refresh-failed'
  }

  const run = runSteps().catch(async (error) => {
    const { outcome, ...details } = classifyFailure(error, step)
    Object.assign(found, details)
    // Without a capacity, the service refuses silently once its trial tokens are used up.
    const fault = outcome === 'embedding-off' ? await capacityFault : undefined
    return fault && fault !== 'capacity-unknown' ? fault : outcome
  })
  const outcome = await withTimeout(run, rules.testMs, () => 'service-down' as const)
  return { outcome, ...found }
}

/** From the worst to the least certain. */
const CAPACITY_FAULTS = ['no-capacity', 'premium-per-user', 'capacity-paused', 'capacity-unknown'] as const
type CapacityFault = (typeof CAPACITY_FAULTS)[number]

/** Returns the worst fault of the capacities of workspaces; undefined when all serve embedding. */
function findCapacityFault(
  workspaces: readonly (Workspace | undefined)[],
  capacities: readonly (Capacity | null)[],
): CapacityFault | undefined {
  const faults = workspaces.map((workspace) => checkCapacity(workspace, capacities))
  return CAPACITY_FAULTS.find((fault) => faults.includes(fault))
}

function checkCapacity(
  workspace: Workspace | undefined,
  capacities: readonly (Capacity | null)[],
): CapacityFault | undefined {
  if (workspace?.isOnDedicatedCapacity === false) return 'no-capacity'
  const id = String(workspace?.capacityId).toLowerCase()
  const capacity = capacities.find((each) => String(each?.id).toLowerCase() === id)
  if (!workspace?.capacityId || !capacity) return 'capacity-unknown'
  const { sku, state } = capacity
  if (/^PP/i.test(String(sku))) return 'premium-per-user'
  if (/Suspended$/.test(String(state))) return 'capacity-paused'
  return sku && /^(Active|UpdatingSku)$/.test(String(state)) ? undefined : 'capacity-unknown'
}

import type { Context } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ListedReport, NamedItem, PowerBi } from '#server/power-bi/power-bi.ts'

const LIMIT = { max: 60, windowSeconds: 60 }

interface PowerBiListContext extends Context {
  powerBi: PowerBi
  takeFromLimit: TakeFromLimit
}

/**
 * What an administrator chooses a report from: the workspaces that the portal's application sees.
 * @throws ProblemError rate-limited, power-bi-rejected, power-bi-unavailable, capacity-paused
 */
export async function listWorkspaces(context: PowerBiListContext): Promise<{ items: NamedItem[] }> {
  await takeFromLimit(context)
  return { items: await context.powerBi.listWorkspaces() }
}

/**
 * The reports of one of them.
 * @throws ProblemError not-found when the service refuses that workspace, saying why; else like listWorkspaces
 */
export async function listWorkspaceReports(
  context: PowerBiListContext,
  { workspaceId }: { workspaceId: string },
): Promise<{ items: ListedReport[] }> {
  await takeFromLimit(context)
  try {
    return { items: await context.powerBi.listReports(workspaceId) }
  } catch (error) {
    // It is the caller who named the workspace: no fault of the portal's.
    if (error instanceof ProblemError && error.code === 'power-bi-rejected')
      throw new ProblemError('not-found', { detail: error.message, cause: error })
    throw error
  }
}

function takeFromLimit({ actor, takeFromLimit: take }: PowerBiListContext): Promise<void> {
  return take(`list-power-bi ${actor.profile.user_id}`, LIMIT)
}

import type { Context } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import type { ListedReport, NamedItem, PowerBi } from '#server/power-bi/power-bi.ts'

const LIMIT = { max: 60, windowSeconds: 60 }

export interface PowerBiListContext extends Context {
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

/** The reports of one of them. @throws like listWorkspaces */
export async function listWorkspaceReports(
  context: PowerBiListContext,
  { workspaceId }: { workspaceId: string },
): Promise<{ items: ListedReport[] }> {
  await takeFromLimit(context)
  return { items: await context.powerBi.listReports(workspaceId) }
}

function takeFromLimit({ actor, takeFromLimit: take }: PowerBiListContext): Promise<void> {
  return take(`list-power-bi ${actor.profile.user_id}`, LIMIT)
}

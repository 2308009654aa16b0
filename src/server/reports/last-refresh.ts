import type { reportRoutes } from '#contract/reports.ts'
import type { ReplyOf } from '#contract/route.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { EmbedTokenContext } from './embed-token.ts'
import { readVisible } from './own-reports.ts'

/** As often as somebody leafs through many areas; the service is asked far less. */
const LIMIT = { max: 60, windowSeconds: 60 }

/**
 * How old the data of a report of the caller's own areas are.
 * @throws ProblemError report-not-found (alike for unknown and foreign ids), rate-limited
 */
export async function readLastRefresh(
  context: EmbedTokenContext,
  { reportId }: { reportId: string },
): Promise<ReplyOf<typeof reportRoutes.readLastRefresh>> {
  const { db, actor, powerBi } = context
  await context.takeFromLimit(`last-refresh ${actor.profile.user_id}`, LIMIT)
  const { visible } = await readVisible(db, actor.profile)
  const setting = visible.find(
    ({ embed_mode, report_id }) => embed_mode === 'service_principal' && report_id === reportId,
  )
  if (!setting) throw new ProblemError('report-not-found')
  const { refreshedAt, hasFailed } = await powerBi.readLastRefresh({
    workspaceId: setting.workspace_id ?? '',
    reportId,
    datasetId: setting.dataset_id,
  })
  return { refreshedAt: refreshedAt?.toISOString() ?? null, hasFailed }
}

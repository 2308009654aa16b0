import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAccess } from '#server/operations/audit.ts'
import type { PowerBi, ReportRef } from '#server/power-bi/power-bi.ts'
import { effectiveIdentityOf } from './effective-identity.ts'
import type { EmbedTokenCache } from './embed-token-cache.ts'
import { hasScope } from './read-own-reports.ts'
import { reportsVisibleTo } from './report-queries.ts'

const LIMIT = { max: 30, windowSeconds: 60 }

export interface EmbedTokenTools {
  db: Db
  powerBi: PowerBi
  cache: EmbedTokenCache
  takeFromLimit: TakeFromLimit
  rlsRoles: string[]
  /** ms since the epoch */
  clock: () => number
}

/**
 * Issues an embed token for a report of the caller's own areas. Only the session and the database are
 * trusted: the request names the report, and nothing in it widens what the token shows.
 * @throws ProblemError report-not-found (alike for unknown, foreign and mixed ids), no-scope, rate-limited,
 *   power-bi-rejected, power-bi-unavailable
 */
export async function issueEmbedToken(
  tools: EmbedTokenTools,
  actor: Actor,
  wanted: ReportRef,
  request: RequestInfo,
): Promise<{ embedToken: string; expiresInSeconds: number }> {
  const { profile } = actor
  await tools.takeFromLimit(`embed-token ${profile.user_id}`, LIMIT)
  const visible = await reportsVisibleTo(tools.db, profile)
  const isConfigured = visible.some(
    (setting) =>
      setting.embed_mode === 'service_principal' &&
      setting.workspace_id === wanted.workspaceId &&
      setting.report_id === wanted.reportId &&
      setting.dataset_id === wanted.datasetId,
  )
  if (!isConfigured) throw new ProblemError('report-not-found')
  if (!hasScope(profile)) throw new ProblemError('no-scope')
  const identity = effectiveIdentityOf(profile, tools.rlsRoles)

  const key = JSON.stringify([profile.user_id, actor.entitlementVersion, wanted, identity])
  const token = await tools.cache(key, () => tools.powerBi.generateEmbedToken(wanted, identity))
  await recordAccess(
    { ...tools, request },
    { action: 'report', userId: profile.user_id, reportId: wanted.reportId },
  )
  return {
    embedToken: token.token,
    expiresInSeconds: Math.max(0, Math.floor((token.expiresAt - tools.clock()) / 1000)),
  }
}

import type { LRUCache } from 'lru-cache'
import type { Catalogue } from '#contract/catalogue.ts'
import { getValues, type ListName } from '#contract/entitlement-lists.ts'
import type { Profile } from '#contract/users.ts'
import { createCache } from '#server/cache.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Actor, Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { recordAccess } from '#server/operations/audit.ts'
import type { EffectiveIdentity, EmbedToken, PowerBi, ReportRef } from '#server/power-bi/power-bi.ts'
import { createNotFound } from '#server/users/user-queries.ts'
import { hasScope, readVisibleReports } from './own-reports.ts'
import { trackFault } from './report-faults.ts'

/** Generous: one reload of the reports screen issues a request for each area. */
const REQUESTS = { max: 300, windowSeconds: 60 }
/** Bounds the tokens requested from Power BI. */
const UPSTREAM = { max: 30, windowSeconds: 60 }
const MAX_TOKENS = 10_000
const MARGIN_MS = 10 * 60_000
const MARGIN_SHARE = 0.2

/** The person whose identity a token carries. */
export type TokenHolder = Pick<Actor, 'profile' | 'entitlementVersion' | 'accessEndsAt'>

export interface EmbedTokenContext extends Context {
  powerBi: PowerBi
  embedTokens: EmbedTokenCache
  consumeRateLimit: ConsumeRateLimit
  rlsRoles: string[]
}

/**
 * Issues an embed token for a report of the holder's areas. The request only names the report:
 * identity and scope come from the session and the database.
 * @param holder the caller, or the person whom an authorized caller views the report as
 * @param view the 'view as' of an administrator; its end (ms since the epoch) bounds the token
 * @throws ProblemError report-not-found (also for foreign and mixed ids), no-scope, access-ended,
 *   view-ended, rate-limited, power-bi-rejected, power-bi-unavailable, capacity-paused; of a view
 *   whose administrator or person is gone unauthenticated, forbidden, not-found
 */
export async function issueEmbedToken(
  context: EmbedTokenContext,
  holder: TokenHolder,
  wanted: ReportRef,
  view?: { id: string; endsAt: number },
): Promise<{ embedToken: string; expiresInSeconds: number; isPaginated?: boolean }> {
  const { db, clock, powerBi } = context
  const { profile } = holder
  const userId = context.actor.profile.user_id
  await context.consumeRateLimit(`embed-token-request ${userId}`, REQUESTS)
  const { catalogue, visible } = await readVisibleReports(db, profile)
  const isConfigured = visible.some(
    (setting) =>
      setting.embed_mode === 'service_principal' &&
      setting.workspace_id === wanted.workspaceId &&
      setting.report_id === wanted.reportId &&
      setting.dataset_id === wanted.datasetId,
  )
  if (!isConfigured) throw new ProblemError('report-not-found')
  if (!hasScope(catalogue, profile)) throw new ProblemError('no-scope')
  const minutesOfAccess = computeMinutesUntil(holder.accessEndsAt, clock())
  if (minutesOfAccess === 0) throw new ProblemError('access-ended')
  const minutesOfView = computeMinutesUntil(view?.endsAt ?? null, clock())
  if (minutesOfView === 0) throw new ProblemError('view-ended')
  const maxMinutes = Math.min(minutesOfAccess ?? Infinity, minutesOfView ?? Infinity)
  const identity = {
    ...toEffectiveIdentity(catalogue, profile, context.rlsRoles),
    // In a 'view as' the administrator.
    auditableContext: context.actor.profile.email,
  }

  const key = JSON.stringify([
    profile.user_id,
    holder.entitlementVersion,
    catalogue.version,
    wanted,
    identity,
    view?.id,
  ])
  const token = await context.embedTokens(userId, key, async (isFirst) => {
    await context.consumeRateLimit(`embed-token ${userId}`, UPSTREAM)
    return trackFault(context, wanted, () =>
      powerBi.generateEmbedToken(wanted, identity, { isFirst, maxMinutes }),
    )
  })
  const access = { action: 'report', userId, reportId: wanted.reportId } as const
  if (view)
    await runAdminTransaction(context, async (transaction) => {
      const viewed = { ...access, viewedAs: profile.user_id }
      if (!(await recordAccess({ ...context, db: transaction }, viewed))) throw createNotFound()
    })
  else await recordAccess(context, access)
  return {
    embedToken: token.token,
    expiresInSeconds: Math.max(0, Math.floor((token.expiresAt - clock()) / 1000)),
    ...(token.isPaginated && { isPaginated: true }),
  }
}

/** The lifetime counts from the issue, which may take the service this long. */
const ISSUE_MS = 15_000

/** Returns the longest token lifetime in minutes that ends before an instant; undefined without one. */
function computeMinutesUntil(instant: number | null, now: number): number | undefined {
  return instant === null ? undefined : Math.max(0, Math.floor((instant - now - ISSUE_MS) / 60_000))
}

/**
 * Returns the RLS identity of a person. Brands and states are customData ('M:FIAT|M:GM|U:RJ')
 * because several roles would widen access instead of narrowing it.
 * Values outside the catalogue are dropped, so that none can inject a separator.
 */
export function toEffectiveIdentity(
  catalogue: Catalogue,
  person: Pick<Profile, 'email' | 'marcas' | 'estados'>,
  roles: string[],
): EffectiveIdentity {
  const listKnownCodes = (list: Exclude<ListName, 'types'>) =>
    getValues(catalogue, list).filter((code) => person[list].includes(code))
  const marcas = listKnownCodes('marcas').map((marca) => `M:${marca}`)
  const estados = listKnownCodes('estados').map((estado) => `U:${estado}`)
  const { email } = person
  return { username: email, roles, customData: [...marcas, ...estados].join('|'), auditableContext: email }
}

/** Where an embed token came from; 'shared' joined a pending call of another request. */
export type TokenSource = 'cache' | 'shared' | 'service'

/** Reads a token from the cache or the service; concurrent calls for a key are coalesced. */
type EmbedTokenCache = (userId: string, key: string, generate: Generate) => Promise<EmbedToken>

/** @param isFirst whether the person has no valid token, and so an empty screen */
type Generate = (isFirst: boolean) => Promise<EmbedToken>

type CachedToken = { userId: string; token: EmbedToken }
type FetchContext = { userId: string; generate: Generate }

/**
 * Caches embed tokens until 10 minutes, or a fifth of their lifetime, before they expire. Failures
 * are not cached. Callers authorize every request before they read a key.
 * @param clock ms since the epoch
 */
export function createEmbedTokenCache(
  clock: () => number,
  countToken: (source: TokenSource) => void,
): EmbedTokenCache {
  const tokens = createCache<CachedToken, FetchContext>(clock, {
    max: MAX_TOKENS,
    async fetchMethod(_key, _stale, { options, context: { userId, generate } }) {
      const hasToken = [...tokens.values()].some((other) => other.userId === userId)
      const token = await generate(!hasToken)
      const lifeMs = token.expiresAt - clock()
      // The cache serves an entry at exactly its TTL too, a millisecond too late.
      options.ttl = Math.max(1, lifeMs - Math.min(MARGIN_MS, lifeMs * MARGIN_SHARE) - 1)
      return { userId, token }
    },
  })
  return async (userId, key, generate) => {
    const status: LRUCache.Status<string, CachedToken, FetchContext> = {}
    const pending = tokens.forceFetch(key, { context: { userId, generate }, status })
    countToken(status.fetch === 'hit' ? 'cache' : status.fetch === 'inflight' ? 'shared' : 'service')
    return (await pending).token
  }
}

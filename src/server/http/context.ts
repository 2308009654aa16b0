import type { Caller } from '#contract/access.ts'
import type { Profile } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'

export interface RequestInfo {
  requestId: string
  /** The caller's IP; X-Forwarded-For counts only from a trusted proxy. */
  ip: string
  /** Whether X-Forwarded-For was sent, and whether it counted. */
  forwarded: 'trusted' | 'ignored' | 'none'
  userAgent: string | null
  /** Idempotency key and a text that identifies the request. */
  idempotency?: { key: string; text: string }
}

/** The signed-in person of a request, read from the database for each request. */
export interface Actor extends Caller {
  sessionId: string
  /** Counter of the access token, see AccessClaims. */
  refreshCounter: number
  profile: Profile
  /** End of the access, in ms since the epoch; null for never. */
  accessEndsAt: number | null
  accessEnded: boolean
  /** Incremented with each change of approval or entitlements; part of every cache key. */
  entitlementVersion: number
}

/** First argument of a feature's functions; the second is their input. */
export interface Context {
  /** The database, or the current transaction. */
  db: Db
  /** ms since the epoch, from the database's clock, because replicas' clocks may differ. */
  clock: () => number
  request: RequestInfo
  actor: Actor
}

export type PublicContext = Omit<Context, 'actor'>

/** The services of a feature's context, without the request's part. */
export type ServicesOf<C extends PublicContext> = Omit<C, keyof Context>

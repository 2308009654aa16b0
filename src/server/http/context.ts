import type { Caller } from '#contract/access.ts'
import type { Profile } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'

export interface RequestInfo {
  requestId: string
  /** The caller's IP; X-Forwarded-For counts only from a trusted proxy. */
  ip: string
  /** Whether an X-Forwarded-For came, and whether it counted. */
  forwarded: 'trusted' | 'ignored' | 'none'
  userAgent: string | null
  /** The idempotency key of a request that is to be done once, and what it asks for, as a text. */
  once?: { key: string; asked: string }
}

/** The signed-in person behind a request, read from the database for this request. */
export interface Actor extends Caller {
  sessionId: string
  profile: Profile
  /** When the access ends by itself, in ms since the epoch; null for never. */
  accessEndsAt: number | null
  accessEnded: boolean
  /** Raised by every change of approval or entitlements; part of every cache key. */
  entitlementVersion: number
}

/** What a function of a feature takes first; what is wanted of it comes second. */
export interface Context {
  /** The database, or the transaction that the function is to work in. */
  db: Db
  /** ms since the epoch, by the database's clock: replicas' own may differ */
  clock: () => number
  request: RequestInfo
  actor: Actor
}

export type PublicContext = Omit<Context, 'actor'>

/** What a feature's context holds beside the request's own part: the services that its handlers are given once. */
export type ServicesOf<C extends PublicContext> = Omit<C, keyof Context>

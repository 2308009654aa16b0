import type { Db } from '#server/database/schema.ts'
import type { Actor } from './actor.ts'
import type { RequestInfo } from './request-info.ts'

/** What a function of a feature takes first; what is wanted of it comes second. */
export interface Context {
  /** The database, or the transaction that the function is to work in. */
  db: Db
  /** ms since the epoch */
  clock: () => number
  request: RequestInfo
  /** The signed-in person who asks. */
  actor: Actor
}

/** The context of a route that anybody may call. */
export type PublicContext = Omit<Context, 'actor'>

import type { Caller } from '#contract/access.ts'
import type { Profile } from '#contract/users.ts'

/** The signed-in person behind a request, read from the database for this request. */
export interface Actor extends Caller {
  sessionId: string
  profile: Profile
  /** Raised by every change of approval or entitlements; part of every cache key. */
  entitlementVersion: number
}

/** Who may call a route. Every route names one; there is no default. */
export type Access = 'public' | 'signedIn' | 'approved' | 'admin' | 'operator'

export type Role = 'admin' | 'user'

/** 'recovery' came from a reset link, 'forcedChange' signed in with a password that is too short. */
export type SessionKind = 'full' | 'recovery' | 'forcedChange'
export type LimitedSessionKind = Exclude<SessionKind, 'full'>

/** What the decision needs to know of a caller; undefined when there is none. */
export interface Caller {
  role: Role
  /** And, where the approval has an end, before it. */
  approved: boolean
  /** Approved once, until an end that has come. */
  accessEnded?: boolean
  sessionKind: SessionKind
}

export type Refusal =
  | 'unauthenticated'
  | 'forbidden'
  | 'not-approved'
  | 'access-ended'
  | 'password-change-required'

/**
 * Decides whether a caller may use a route.
 * 'operator' routes are opened by a token of their own, so no session passes here.
 * @returns undefined when allowed, else the problem code of the refusal
 */
export function getRefusal(
  route: { access: Access; alsoFor?: readonly LimitedSessionKind[] },
  caller: Caller | undefined,
): Refusal | undefined {
  if (route.access === 'public') return undefined
  if (!caller || route.access === 'operator') return 'unauthenticated'
  if (caller.sessionKind !== 'full' && !route.alsoFor?.includes(caller.sessionKind))
    return 'password-change-required'
  if (route.access === 'approved' && !caller.approved)
    return caller.accessEnded ? 'access-ended' : 'not-approved'
  if (route.access === 'admin' && caller.role !== 'admin') return 'forbidden'
  return undefined
}

/** How long the browser that signed up can show it, in ms. */
export const CONFIRMATION_MARK_MS = 30 * 60_000

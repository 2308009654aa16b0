/** Who may call a route. Required for every route; there is no default. */
export type Access = 'public' | 'signedIn' | 'approved' | 'admin' | 'operator'

export type Role = 'admin' | 'user'

/**
 * 'recovery' is a session from a reset link, 'forcedChange' one with a password that is too short,
 * 'aal1' one that owes the second factor, or setting one up.
 */
export type SessionKind = 'full' | 'recovery' | 'forcedChange' | 'aal1'
export type LimitedSessionKind = Exclude<SessionKind, 'full'>
/** What a session is opened for, before it is known whether a second factor is owed. */
export type WantedSessionKind = Exclude<SessionKind, 'aal1'>

/** Longest time in ms since the last password: for what takes an account, or concerns many people. */
export const MAX_AUTHENTICATION_AGE_MS = { account: 10 * 60_000, many: 2 * 60 * 60_000 }
export type RecentAuthentication = keyof typeof MAX_AUTHENTICATION_AGE_MS

/** Facts about a caller that the access check needs. */
export interface Caller {
  role: Role
  /** False after the end of a limited approval. */
  approved: boolean
  /** Whether a limited approval has ended. */
  accessEnded?: boolean
  sessionKind: SessionKind
  /** Time in ms since the last password of this session; Infinity without one. */
  authenticationAgeMs: number
}

export type Refusal =
  | 'unauthenticated'
  | 'forbidden'
  | 'not-approved'
  | 'access-ended'
  | 'password-change-required'
  | 'second-factor-required'
  | 'reauthentication-needed'

/**
 * Checks whether a caller may use a route. Access 'operator' requires a token instead of a session.
 * @returns the problem code of the refusal; undefined if allowed
 */
export function getRefusal(
  route: {
    access: Access
    alsoFor?: readonly LimitedSessionKind[]
    recentAuthentication?: RecentAuthentication
  },
  caller: Caller | undefined,
): Refusal | undefined {
  if (route.access === 'public') return undefined
  if (!caller || route.access === 'operator') return 'unauthenticated'
  if (caller.sessionKind !== 'full' && !route.alsoFor?.includes(caller.sessionKind))
    return caller.sessionKind === 'aal1' ? 'second-factor-required' : 'password-change-required'
  if (route.access === 'approved' && !caller.approved)
    return caller.accessEnded ? 'access-ended' : 'not-approved'
  if (route.access === 'admin' && caller.role !== 'admin') return 'forbidden'
  if (route.recentAuthentication && !isRecentlyAuthenticated(caller, route.recentAuthentication))
    return 'reauthentication-needed'
  return undefined
}

/** Sessions that only set a password count as recent: they are short, and open one thing alone. */
export function isRecentlyAuthenticated(caller: Caller, wanted: RecentAuthentication): boolean {
  const onlySetsPassword = caller.sessionKind === 'recovery' || caller.sessionKind === 'forcedChange'
  return onlySetsPassword || caller.authenticationAgeMs <= MAX_AUTHENTICATION_AGE_MS[wanted]
}

/** Validity in ms of the mark with which the browser that signed up confirms its e-mail. */
export const CONFIRMATION_MARK_MS = 30 * 60_000

/** How long the browser that began may take at Microsoft, in ms, and then for a mailed link. */
export const MICROSOFT_SIGN_IN_MS = 10 * 60_000
export const MICROSOFT_MAIL_MS = 60 * 60_000
/** How many attempts one browser may have under way, as from several tabs; the oldest goes. */
export const MAX_MICROSOFT_ATTEMPTS = 10

import type { Session } from '#contract/accounts.ts'
import { ApiError, callPublic } from '#web/http/api.ts'

export type LinkType = 'signup' | 'recovery'

/** Each link is posted once, however often the screen is mounted. */
const posted = new Map<string, Promise<Session | undefined>>()

/** Takes the token out of 'token_hash=…&type=signup'; undefined when the link is not one of this type. */
export function readTokenHash(hash: string, type: LinkType): string | undefined {
  const values = new URLSearchParams(hash)
  return values.get('type') === type ? values.get('token_hash') || undefined : undefined
}

/**
 * Uses the link up and gets its session.
 * @returns undefined when the link is not, or no longer, good
 * @throws NetworkError or ApiError when that could not be found out; the next call tries again
 */
export function verifyEmailLink(type: LinkType, tokenHash: string): Promise<Session | undefined> {
  const known = posted.get(tokenHash)
  if (known) return known
  const body = { type, token_hash: tokenHash }
  const session = callPublic('POST /api/auth/verify', { body }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return undefined
    posted.delete(tokenHash)
    throw error
  })
  posted.set(tokenHash, session)
  return session
}

let keptHash: string | undefined

/** Puts the part behind '#' of a mailed link aside, so that its token can leave the address bar at once. */
export function keepLinkHash(hash: string): void {
  keptHash = hash
}

/** What keepLinkHash put aside, once. */
export function takeLinkHash(): string {
  const hash = keptHash ?? ''
  keptHash = undefined
  return hash
}

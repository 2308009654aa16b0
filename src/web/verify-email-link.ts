import { type Session, signInRoutes } from '#contract/sign-in.ts'
import { ApiError, callApi } from '#web/api.ts'

/** Each link is posted once, however often the screen is mounted. */
const posted = new Map<string, Promise<Session | undefined>>()

/** Takes the token out of 'token_hash=…&type=signup'; undefined when the link is not one of a sign-up. */
export function readTokenHash(hash: string): string | undefined {
  const values = new URLSearchParams(hash)
  return values.get('type') === 'signup' ? values.get('token_hash') || undefined : undefined
}

/**
 * Uses the link up and gets its session.
 * @returns undefined when the link is not, or no longer, good
 * @throws NetworkError or ApiError when that could not be found out
 */
export function verifyEmailLink(tokenHash: string): Promise<Session | undefined> {
  const known = posted.get(tokenHash)
  if (known) return known
  const session = callApi(signInRoutes.verifyEmailLink, {
    body: { type: 'signup', token_hash: tokenHash },
  }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return undefined
    throw error
  })
  posted.set(tokenHash, session)
  return session
}

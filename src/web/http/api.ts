import type { PublicRouteName, ReplyNamed, RouteName, RouteNamed } from '#contract/index.ts'
import { isDue, refreshSession } from '#web/session/session-refresh.ts'
import { getSession, type StoredSession, secondsLeft } from '#web/session/session-store.ts'
import { ApiError, type RequestInput, sendRequest } from './send-request.ts'

export { ApiError, NetworkError } from './send-request.ts'

/**
 * Calls a route as the signed-in person. Refreshes a session
 * about to expire first; after a 401 refreshes and retries once.
 * @throws ApiError for a failed reply, NetworkError without
 * one; both messages are Portuguese and can be shown
 */
export function callApi<N extends Exclude<RouteName, PublicRouteName>>(
  name: N,
  input: RequestInput<RouteNamed<N>> = {},
): Promise<ReplyNamed<N>> {
  return asSignedIn((accessToken) => sendRequest(name, input, accessToken))
}

/** Calls a public route without an access token; throws as callApi does. */
export function callPublic<N extends PublicRouteName>(
  name: N,
  input: RequestInput<RouteNamed<N>> = {},
): Promise<ReplyNamed<N>> {
  return sendRequest(name, input)
}

let whenForbidden = () => {}

/** Sets the callback for a refused administrator's call: the role may have been revoked meanwhile. */
export function onForbidden(callback: () => void): void {
  whenForbidden = callback
}

/** Sends a request with the access token; `send` runs again where a refreshed session may help. */
export async function asSignedIn<T>(send: (accessToken?: string) => Promise<T>): Promise<T> {
  const session = await usableSession()
  try {
    return await send(session?.access_token)
  } catch (error) {
    if (error instanceof ApiError && error.problem.code === 'forbidden') whenForbidden()
    if (!session || !(error instanceof ApiError) || error.status !== 401) throw error
    const renewed = await refreshSession(session.access_token)
    // Never retry one person's request as another who has signed in meanwhile.
    if (renewed?.user.id !== session.user.id || renewed.access_token === session.access_token) throw error
    return send(renewed.access_token)
  }
}

/** Returns the session, refreshed when due; the old one while it is valid if the refresh fails. */
async function usableSession(): Promise<StoredSession | undefined> {
  const session = getSession()
  if (!session || !isDue(session)) return session
  try {
    return await refreshSession()
  } catch (error) {
    if (secondsLeft(session) > 5) return session
    throw error
  }
}

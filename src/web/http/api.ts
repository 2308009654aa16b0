import type { PublicRouteName, ReplyNamed, RouteName, RouteNamed } from '#contract/index.ts'
import { isDue, refreshSession } from '#web/session/session-refresh.ts'
import { getSession, type StoredSession, secondsLeft } from '#web/session/session-store.ts'
import { ApiError, type RequestInput, sendRequest } from './send-request.ts'

export { ApiError, NetworkError } from './send-request.ts'

/**
 * Calls a route as the signed-in person. A session about to expire is renewed first; a 401 is renewed and tried
 * once more.
 * @throws ApiError for a failed reply, NetworkError without one; both messages are Portuguese, fit to show
 */
export function callApi<N extends Exclude<RouteName, PublicRouteName>>(
  name: N,
  input: RequestInput<RouteNamed<N>> = {},
): Promise<ReplyNamed<N>> {
  return asSignedIn((accessToken) => sendRequest(name, input, accessToken))
}

/** Calls a route that anybody may call, without saying who asks; throws as callApi does. */
export function callPublic<N extends PublicRouteName>(
  name: N,
  input: RequestInput<RouteNamed<N>> = {},
): Promise<ReplyNamed<N>> {
  return sendRequest(name, input)
}

let whenForbidden = () => {}

/** Sets what happens whenever an administrator's call is refused: the role may have been taken away meanwhile. */
export function onForbidden(callback: () => void): void {
  whenForbidden = callback
}

/** Sends a request as the signed-in person; `send` is called again where a renewed session may help. */
export async function asSignedIn<T>(send: (accessToken?: string) => Promise<T>): Promise<T> {
  const session = await usableSession()
  try {
    return await send(session?.access_token)
  } catch (error) {
    if (error instanceof ApiError && error.problem.code === 'forbidden') whenForbidden()
    if (!session || !(error instanceof ApiError) || error.status !== 401) throw error
    const renewed = await refreshSession(session.access_token)
    // Never repeat one person's request as another who has signed in meanwhile.
    if (renewed?.user.id !== session.user.id || renewed.access_token === session.access_token) throw error
    return send(renewed.access_token)
  }
}

/** The session, renewed when due; if that cannot be done now, the old one for as long as it lasts. */
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

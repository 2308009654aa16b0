import type { PublicRouteName, ReplyNamed, RouteName, RouteNamed } from '#contract/index.ts'
import { isRefreshDue, refreshSession } from '#web/session/session-refresh.ts'
import { getSecondsLeft, getSession, type StoredSession } from '#web/session/session-store.ts'
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
  return withAccessToken((accessToken) => sendRequest(name, input, accessToken))
}

/** Calls a public route without an access token; throws as callApi does. */
export function callPublic<N extends PublicRouteName>(
  name: N,
  input: RequestInput<RouteNamed<N>> = {},
): Promise<ReplyNamed<N>> {
  return sendRequest(name, input)
}

let forbiddenCallback = () => {}

/** Sets the callback for a refused administrator's call: the role may have been revoked meanwhile. */
export function onForbidden(callback: () => void): void {
  forbiddenCallback = callback
}

let reauthenticate = async (_refused: StoredSession): Promise<string | undefined> => undefined

/** Sets how the password is asked for. @param ask returns a new access token; undefined if cancelled */
export function onReauthenticationNeeded(ask: typeof reauthenticate): void {
  reauthenticate = ask
}

/** Sends a request with the access token; `send` runs again where a refreshed session may help. */
export async function withAccessToken<T>(send: (accessToken?: string) => Promise<T>): Promise<T> {
  const session = await getUsableSession()
  try {
    return await sendWithPassword(session, send)
  } catch (error) {
    if (!session || !(error instanceof ApiError) || error.status !== 401) throw error
    const refreshed = await refreshSession(session.access_token)
    // Never retry one person's request as another who has signed in meanwhile.
    if (refreshed?.user.id !== session.user.id || refreshed.access_token === session.access_token) throw error
    return sendWithPassword(refreshed, send)
  }
}

/** Sends a request; asks for the password where the server wants a recent one. */
async function sendWithPassword<T>(
  session: StoredSession | undefined,
  send: (accessToken?: string) => Promise<T>,
): Promise<T> {
  try {
    return await send(session?.access_token)
  } catch (error) {
    const code = error instanceof ApiError && error.problem.code
    if (code === 'forbidden') forbiddenCallback()
    const token = session && code === 'reauthentication-needed' && (await reauthenticate(session))
    if (!token) throw error
    return send(token)
  }
}

/** Returns the session, refreshed when due; the old one while it is valid if the refresh fails. */
async function getUsableSession(): Promise<StoredSession | undefined> {
  const session = getSession()
  if (!session || !isRefreshDue(session)) return session
  try {
    return await refreshSession()
  } catch (error) {
    if (getSecondsLeft(session) > 5) return session
    throw error
  }
}

import type { ReplyNamed, RouteName, RouteNamed } from '#contract/index.ts'
import { type BodyIn, type ParamsIn, pathWith, type QueryIn, type Route } from '#contract/route.ts'
import { NetworkError, readFailure } from './api-error.ts'

/** What a call passes in, as its route declares it. */
export interface RequestInput<R extends Route> {
  params?: ParamsIn<R>
  query?: QueryIn<R>
  body?: BodyIn<R>
  /** The state that a conditional write rests on. */
  ifMatch?: string | undefined
  signal?: AbortSignal | undefined
  /** Lets the request outlive the page. */
  keepalive?: boolean
  /** A request that takes longer counts as lost; 35 s unless said, since the server gives up after 30 s. */
  timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 35_000

/**
 * Sends one request as it is, without renewing or repeating anything.
 * @throws ApiError for a failed reply, NetworkError without one, the signal's reason when aborted by the caller
 */
export async function sendRequest<N extends RouteName>(
  name: N,
  input: RequestInput<RouteNamed<N>>,
  accessToken?: string,
): Promise<ReplyNamed<N>> {
  const response = await fetchReply(name, input, accessToken)
  if (!response.ok) throw await readFailure(response)
  if (response.status === 204) return undefined as ReplyNamed<N>
  try {
    return (await response.json()) as ReplyNamed<N>
  } catch (error) {
    input.signal?.throwIfAborted()
    // A 200 that is not JSON comes from something in between, a hotel's sign-in page say.
    throw error instanceof SyntaxError ? await readFailure(response) : new NetworkError(error)
  }
}

async function fetchReply(name: RouteName, input: RequestInput<Route>, accessToken?: string) {
  const [method = '', path = ''] = name.split(' ')
  const headers = new Headers({ accept: 'application/json' })
  if (accessToken) headers.set('authorization', `Bearer ${accessToken}`)
  if (input.ifMatch !== undefined) headers.set('if-match', `"${input.ifMatch}"`)
  if (input.body !== undefined) headers.set('content-type', 'application/json')
  const timeout = AbortSignal.timeout(input.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  try {
    return await fetch(urlOf(path, input), {
      method,
      headers,
      signal: input.signal ? AbortSignal.any([input.signal, timeout]) : timeout,
      keepalive: input.keepalive ?? false,
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    })
  } catch (error) {
    input.signal?.throwIfAborted()
    throw new NetworkError(error)
  }
}

function urlOf(pattern: string, input: RequestInput<Route>): string {
  const path = pathWith({ path: pattern }, input.params as Record<string, unknown> | undefined)
  const given = Object.entries((input.query ?? {}) as Record<string, unknown>)
  const query = new URLSearchParams(
    given.filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]),
  )
  return query.size > 0 ? `${path}?${query}` : path
}

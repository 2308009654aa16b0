import type { ReplyNamed, RouteName, RouteNamed } from '#contract/index.ts'
import type { Problem } from '#contract/problem.ts'
import { type BodyIn, buildPath, type ParamsOf, type QueryOf, type RouteShape } from '#contract/route.ts'

/** The contract's texts for 'internal', copied to keep the whole list out of the bundle. */
export const GENERIC_FAILURE = {
  title: 'Erro interno',
  detail: 'Algo deu errado do nosso lado. Tente novamente em instantes.',
} as const

/** The server refused or failed; the message is the problem's Portuguese detail and can be shown. */
export class ApiError extends Error {
  readonly problem: Problem
  readonly status: number
  readonly retryAfterSeconds?: number

  constructor(problem: Problem, status: number, retryAfterSeconds?: number) {
    super(problem.detail)
    this.name = 'ApiError'
    this.problem = problem
    this.status = status
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No reply: offline, server down, or timeout. */
export class NetworkError extends Error {
  constructor(cause?: unknown) {
    super('Sem conexão com o portal. Verifique sua internet e tente novamente.', { cause })
    this.name = 'NetworkError'
  }
}

/** Whether the server failed without a message of its own: HTML of a proxy, or an empty body. */
export const isUnexplained = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.code === 'internal'

/** Whether a retry cannot help: any 4xx but 408 and 429. */
export function isDefiniteRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429
}

export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.problem.code === 'conflict'
}

export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.problem.code === 'not-found'
}

/** Converts a failed response to an ApiError; a generic one unless the body is problem JSON. */
export async function readFailure(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const problem = isProblem(body) ? body : genericProblem(response)
  return new ApiError(problem, response.status, parseRetryAfter(response.headers.get('retry-after')))
}

function isProblem(body: unknown): body is Problem {
  const problem = body as Partial<Problem> | null | undefined
  return typeof problem?.code === 'string' && typeof problem.detail === 'string'
}

function genericProblem(response: Response): Problem {
  const requestId = response.headers.get('x-request-id') ?? ''
  return { type: 'about:blank', ...GENERIC_FAILURE, status: response.status, code: 'internal', requestId }
}

/** Returns the wait that the server asked for in ms, 0 without one. */
export function getRetryAfterMs(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
}

/** Parses Retry-After: seconds or an HTTP date (RFC 9110 section 10.2.3). */
function parseRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

export interface RequestInput<R extends RouteShape> {
  params?: ParamsOf<R>
  query?: QueryOf<R>
  body?: BodyIn<R>
  ifMatch?: string | undefined
  /** Applies the change once even if it is sent repeatedly: see retryCall. */
  idempotencyKey?: string
  signal?: AbortSignal | undefined
  keepalive?: boolean
  /** Timeout in ms; by default 35 s, since the server gives up after 30 s. */
  timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 35_000

/**
 * Sends one request without refresh or retry.
 * @throws ApiError for a failed reply, NetworkError without
 * one, the signal's reason when the caller aborts
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
    // A proxy may answer 200 with a page of its own, such as a hotel's sign-in page.
    throw error instanceof SyntaxError ? await readFailure(response) : new NetworkError(error)
  }
}

/** Sends a request; any reply counts, also a failed one. @throws NetworkError, the signal's reason */
export async function fetchReply(name: RouteName, input: RequestInput<RouteShape>, accessToken?: string) {
  const [method = '', path = ''] = name.split(' ')
  const headers = new Headers({ accept: 'application/json' })
  if (accessToken) headers.set('authorization', `Bearer ${accessToken}`)
  if (input.ifMatch !== undefined) headers.set('if-match', `"${input.ifMatch}"`)
  if (input.idempotencyKey) headers.set('idempotency-key', input.idempotencyKey)
  if (input.body !== undefined) headers.set('content-type', 'application/json')
  const timeout = AbortSignal.timeout(input.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  try {
    return await fetch(buildUrl(path, input), {
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

function buildUrl(pattern: string, input: RequestInput<RouteShape>): string {
  const path = buildPath({ path: pattern }, input.params as Record<string, unknown> | undefined)
  const entries = Object.entries((input.query ?? {}) as Record<string, unknown>)
  const query = new URLSearchParams(
    entries.filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]),
  )
  return query.size > 0 ? `${path}?${query}` : path
}

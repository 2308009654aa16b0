import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import { type CountCall, counted } from './count-calls.ts'
import type { DirectoryTokens } from './directory-token.ts'
import { PassingFailure, PowerBiRefusal } from './failures.ts'

const TRIES = 2
const ALL_TRIES_MS = 8_000
const ONE_TRY_MS = 5_000
const LONGEST_PAUSE_MS = 2_000

export interface PowerBiRest {
  /**
   * One call of the REST API; at most two tries and 8 s in all.
   * @param path after /v1.0/myorg
   * @throws PowerBiRefusal for a definite 4xx, ProblemError power-bi-unavailable for anything that may pass
   */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>>
}

/** @param apiBase 'https://api.powerbi.com', or the emulator's */
export function createPowerBiRest(
  apiBase: string,
  directory: DirectoryTokens,
  countCall: CountCall,
  log: Log,
): PowerBiRest {
  async function tryOnce(method: string, path: string, body: object | undefined, overall: AbortSignal) {
    const token = await directory.read(overall)
    const send = () =>
      fetch(`${apiBase}/v1.0/myorg${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([overall, AbortSignal.timeout(ONE_TRY_MS)]),
      })
    const reply = await counted(countCall, 'power-bi', send)
    const text = await reply.text()
    if (reply.ok) return objectOf(text)
    const requestId = reply.headers.get('requestid')
    log.warn({ method, path, status: reply.status, powerBiRequestId: requestId }, 'Power BI refused a call')
    // The directory token may have been revoked: the second try brings a new one.
    if (reply.status === 401) directory.forget(token)
    const retryAfter = Number(reply.headers.get('retry-after')) || undefined
    const refusal = refusalOf(reply, text)
    // A paused capacity is told with all kinds of statuses and does not come back within seconds.
    const mayPass = (reply.status === 429 || reply.status >= 500) && refusal.code !== 'CapacityNotActive'
    if (mayPass) throw new PassingFailure(reply.status, retryAfter)
    throw refusal
  }

  return {
    async call(method, path, body) {
      const overall = AbortSignal.timeout(ALL_TRIES_MS)
      for (let attempt = 1; ; attempt++) {
        try {
          return await tryOnce(method, path, body, overall)
        } catch (error) {
          const isLast = attempt >= TRIES || overall.aborted
          const isExpiredToken = error instanceof PowerBiRefusal && error.status === 401
          if (error instanceof ProblemError) throw error
          if (error instanceof PowerBiRefusal && (isLast || !isExpiredToken)) throw error
          const retryAfterSeconds = error instanceof PassingFailure ? error.retryAfterSeconds : undefined
          const pauseMs = (retryAfterSeconds ?? 0.25) * 1000
          if (isLast || pauseMs > LONGEST_PAUSE_MS)
            throw new ProblemError('power-bi-unavailable', {
              retryAfterSeconds: retryAfterSeconds ?? 10,
              cause: error,
            })
          await new Promise((resolve) => setTimeout(resolve, pauseMs))
        }
      }
    },
  }
}

/** @throws for anything but a JSON object, which counts as a failure that may pass */
function objectOf(text: string): Record<string, unknown> {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('Power BI answered without an object')
  return value as Record<string, unknown>
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may hold a token.
    throw new Error('Power BI answered without JSON')
  }
}

/** The service's code stands in the body or, for some refusals, in a header alone. */
function refusalOf(reply: Response, text: string): PowerBiRefusal {
  let error: { code?: unknown; message?: unknown } | undefined
  try {
    error = (JSON.parse(text) as { error?: typeof error } | null)?.error
  } catch {
    // Proxies in between answer in HTML.
  }
  const code = error?.code ?? reply.headers.get('x-powerbi-error-info') ?? ''
  return new PowerBiRefusal(
    reply.status,
    String(code),
    String(error?.message ?? ''),
    reply.headers.get('requestid'),
  )
}

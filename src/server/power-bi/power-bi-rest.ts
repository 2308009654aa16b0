import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import type { DirectoryTokens } from './directory-token.ts'

const TRIES = 2
const ALL_TRIES_MS = 8_000
const ONE_TRY_MS = 5_000
const LONGEST_PAUSE_MS = 2_000

/** What the service said when it refused: its status, its own code and message, and the id to quote to support. */
export class PowerBiRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  constructor(status: number, code: string, message: string, requestId: string | null) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

export interface PowerBiRest {
  /**
   * One call of the REST API; at most two tries and 8 s in all.
   * @param path after /v1.0/myorg
   * @throws PowerBiRefusal for a definite 4xx, ProblemError power-bi-unavailable for anything that may pass
   */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>>
}

/** @param apiBase 'https://api.powerbi.com', or the emulator's */
export function createPowerBiRest(apiBase: string, directory: DirectoryTokens, log: Log): PowerBiRest {
  async function tryOnce(method: string, path: string, body: object | undefined, overall: AbortSignal) {
    const token = await directory.read(overall)
    const reply = await fetch(`${apiBase}/v1.0/myorg${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([overall, AbortSignal.timeout(ONE_TRY_MS)]),
    })
    const text = await reply.text()
    if (reply.ok) return objectOf(text)
    const requestId = reply.headers.get('requestid')
    log.warn({ method, path, status: reply.status, powerBiRequestId: requestId }, 'Power BI refused a call')
    // The directory token may have been revoked: the second try brings a new one.
    if (reply.status === 401) directory.forget(token)
    const retryAfter = Number(reply.headers.get('retry-after')) || undefined
    if (reply.status === 429 || reply.status >= 500) throw new Passing(retryAfter)
    const { code, message } = errorOf(text)
    throw new PowerBiRefusal(reply.status, code, message, requestId)
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
          const retryAfterSeconds = error instanceof Passing ? error.retryAfterSeconds : undefined
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

/** A failure that may pass by itself. */
class Passing extends Error {
  readonly retryAfterSeconds: number | undefined
  constructor(retryAfterSeconds: number | undefined) {
    super('Power BI asked to try later')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** @throws for anything but a JSON object, which counts as a failure that may pass */
function objectOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('Power BI answered without an object')
  return value as Record<string, unknown>
}

function errorOf(text: string): { code: string; message: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } }
    return { code: error?.code ?? '', message: error?.message ?? '' }
  } catch {
    return { code: '', message: '' }
  }
}

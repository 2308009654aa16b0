import { backoffDelay, retry } from '#contract/timing.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { type Log, namingHost } from '#server/log.ts'
import type { DirectoryTokens } from './directory-token.ts'
import {
  type CountCall,
  measureCall,
  UnexpectedResponse,
  parseJsonObject,
  TransientError,
  PowerBiRefusal,
} from './power-bi.ts'
import { DirectoryRefusal } from './refusals.ts'

const TRIES = 2
const ALL_TRIES_MS = 8_000
/** What is left for a second try when the first one stays silent. */
const SECOND_TRY_MS = 3_000
/** A service that asks for a longer pause is not asked again. */
const BACKOFF = { firstMs: 250, maxMs: 2_000 }

/**
 * One call of the REST API; at most two tries.
 * @param path after /v1.0/myorg
 * @param budgetMs for all tries, 8 s unless said
 * @throws PowerBiRefusal for a definite 4xx, DirectoryRefusal, ForeignAnswer, ProblemError power-bi-unavailable for
 *   anything that may pass
 */
export type PowerBiRest = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  budgetMs?: number,
) => Promise<Record<string, unknown>>

interface RestOptions {
  /** 'https://api.powerbi.com', or the emulator's. */
  apiBase: string
  directory: DirectoryTokens
  countCall: CountCall
  log: Log
}

export function createPowerBiRest({ apiBase, directory, countCall, log }: RestOptions): PowerBiRest {
  const { host } = new URL(apiBase)
  async function tryOnce(
    overall: AbortSignal,
    ...[method, path, body, budgetMs = ALL_TRIES_MS]: Parameters<PowerBiRest>
  ) {
    const token = await directory.read(overall)
    const firstTryMs = Math.max(budgetMs - SECOND_TRY_MS, budgetMs / 2)
    const send = () =>
      fetch(`${apiBase}/v1.0/myorg${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([overall, AbortSignal.timeout(firstTryMs)]),
      })
    const { reply, text } = await namingHost(host, () => measureCall(countCall, 'power-bi', send))
    const answer = parseJsonObject(text)
    if (reply.ok && answer) return answer
    // It counts as a failure that may pass.
    if (reply.ok) throw new Error('Power BI answered without a JSON object')
    const requestId = reply.headers.get('requestid')
    log.warn({ method, path, status: reply.status, powerBiRequestId: requestId }, 'Power BI refused a call')
    const retryAfter = Number(reply.headers.get('retry-after')) || undefined
    const refusal = parseRefusal(reply, answer)
    // The directory token may have been revoked: the second try brings a new one.
    if (isTokenRefusal(refusal)) directory.invalidate(token)
    // A paused capacity is told with all kinds of statuses and does not come back within seconds.
    const isTransient = (reply.status === 429 || reply.status >= 500) && !/CapacityNotActive/.test(refusal.code)
    if (isTransient) throw new TransientError(reply.status, retryAfter)
    throw refusal
  }

  return async (method, path, body, budgetMs = ALL_TRIES_MS) => {
    const overall = AbortSignal.timeout(budgetMs)
    try {
      return await retry(
        () => tryOnce(overall, method, path, body, budgetMs),
        (error, failures) => {
          if (failures >= TRIES || isDefinite(error)) return undefined
          const pauseMs = backoffDelay(failures, {
            ...BACKOFF,
            retryAfterMs: (getRetryAfter(error) ?? 0) * 1000,
          })
          return pauseMs > BACKOFF.maxMs ? undefined : pauseMs
        },
        overall,
      )
    } catch (error) {
      if (isDefinite(error) || error instanceof PowerBiRefusal) throw error
      const retryAfterSeconds = getRetryAfter(error) ?? 10
      throw new ProblemError('power-bi-unavailable', { retryAfterSeconds, cause: error })
    }
  }
}

const getRetryAfter = (error: unknown) =>
  error instanceof TransientError ? error.retryAfterSeconds : undefined

/** Whether another try would end the same way. */
function isDefinite(error: unknown): boolean {
  if (error instanceof PowerBiRefusal) return !isTokenRefusal(error)
  return [ProblemError, DirectoryRefusal, UnexpectedResponse].some((kind) => error instanceof kind)
}

/** Whether it is the directory token that is refused: an expired one with 403 too (Microsoft, 'Troubleshoot REST APIs'). */
const isTokenRefusal = ({ status, code }: PowerBiRefusal) =>
  status === 401 || /\b(TokenExpired|InvalidToken)\b/.test(code)

/** The service's code stands in the body, in a header, or in both; either may be the one that says more. */
function parseRefusal({ status, headers }: Response, body: Record<string, unknown> | undefined): PowerBiRefusal {
  const error = body?.error as { code?: unknown; message?: unknown } | null | undefined
  // Only what looks like a code: the text comes from outside.
  const codes = [error?.code, headers.get('x-powerbi-error-info')].filter((code) =>
    /^\w{1,60}$/.test(String(code ?? '')),
  )
  const code = [...new Set(codes)].join(' / ')
  // The gateway in front of the service says {"Message": "API is not accessible for application"}, without more.
  const message = error?.message ?? body?.Message ?? body?.message ?? ''
  return new PowerBiRefusal(status, code, String(message), headers.get('requestid'))
}

/** An answer that does not come, or not in the form that it should have. */
export function createUnreadableError(what: string): ProblemError {
  return new ProblemError('power-bi-unavailable', { retryAfterSeconds: 10, cause: new Error(what) })
}

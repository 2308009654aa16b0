import { backoffDelay, retry } from '#contract/timing.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { type Log, withHost } from '#server/log.ts'
import type { DirectoryTokens } from './directory-token.ts'
import { createUnavailableProblem, DirectoryRefusal } from './outcomes.ts'
import {
  type CountCall,
  classifyStatus,
  measureCall,
  PowerBiRefusal,
  ProxyReply,
  parseJsonObject,
  TransientError,
} from './power-bi.ts'

const TRIES = 2
const ALL_TRIES_MS = 8_000
/** Reserved for a second try when the first one times out. */
const SECOND_TRY_MS = 3_000
/** A longer Retry-After ends the retries. */
const BACKOFF = { firstMs: 250, maxMs: 2_000 }

/**
 * Calls the REST API, with at most two tries.
 * @param path after /v1.0/myorg
 * @param options.budgetMs the timeout over all tries, 8 s by default
 * @param options.onRetryAfter called when a reply that is no refusal has a Retry-After
 * @param options.isOnce sends it again only after a refused token: the service may have carried it out
 * @throws PowerBiRefusal for a permanent 4xx, DirectoryRefusal, ProxyReply, ProblemError
 *   power-bi-unavailable for transient failures
 */
export type PowerBiRest = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  options?: {
    budgetMs?: number | undefined
    isOnce?: boolean
    onRetryAfter?: (seconds: number) => void
  },
) => Promise<Record<string, unknown>>

interface RestOptions {
  /** 'https://api.powerbi.com', or the emulator. */
  apiBase: string
  directory: DirectoryTokens
  countCall: CountCall
  log: Log
}

export function createPowerBiRest({ apiBase, directory, countCall, log }: RestOptions): PowerBiRest {
  const { host } = new URL(apiBase)
  async function tryOnce(
    overall: AbortSignal,
    ...[method, path, body, { budgetMs = ALL_TRIES_MS, isOnce, onRetryAfter } = {}]: Parameters<PowerBiRest>
  ) {
    const token = await directory.read(overall)
    const firstTryMs = isOnce ? budgetMs : Math.max(budgetMs - SECOND_TRY_MS, budgetMs / 2)
    const send = () =>
      fetch(`${apiBase}/v1.0/myorg${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([overall, AbortSignal.timeout(firstTryMs)]),
      })
    const { reply, text } = await withHost(host, () => measureCall(countCall, 'power-bi', send))
    const answer = parseJsonObject(text)
    const retryAfterSeconds = Number(reply.headers.get('retry-after')) || undefined
    if (reply.ok && retryAfterSeconds) onRetryAfter?.(retryAfterSeconds)
    if (reply.ok && answer) return answer
    if (reply.status === 202) return {}
    // Treated as transient.
    if (reply.ok) throw new Error('Power BI answered without a JSON object')
    const requestId = reply.headers.get('requestid')
    log.warn({ method, path, status: reply.status, powerBiRequestId: requestId }, 'Power BI refused a call')
    const refusal = toRefusal(reply, answer)
    // The directory token may be revoked: the second try uses a new one.
    if (isTokenRefusal(refusal)) directory.invalidate(token)
    // A paused capacity has various statuses and does not resume within seconds.
    const isTransient =
      (reply.status === 429 || reply.status >= 500) && !/CapacityNotActive/.test(refusal.code)
    if (isTransient)
      throw new TransientError(reply.status, { code: refusal.code, requestId, retryAfterSeconds })
    throw refusal
  }

  return async (method, path, body, options = {}) => {
    const overall = AbortSignal.timeout(options.budgetMs ?? ALL_TRIES_MS)
    try {
      return await retry(
        () => tryOnce(overall, method, path, body, options),
        (error, failures) => {
          if (failures >= TRIES || isDefinite(error)) return undefined
          if (options.isOnce && !(error instanceof PowerBiRefusal)) return undefined
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
      throw createUnavailableProblem(error)
    }
  }
}

const getRetryAfter = (error: unknown) =>
  error instanceof TransientError ? error.retryAfterSeconds : undefined

/** Whether a retry is pointless. */
function isDefinite(error: unknown): boolean {
  if (error instanceof PowerBiRefusal) return !isTokenRefusal(error)
  return [ProblemError, DirectoryRefusal, ProxyReply].some((kind) => error instanceof kind)
}

/** An expired directory token may give 403 too (Microsoft, 'Troubleshoot REST APIs'). */
const isTokenRefusal = ({ status, code }: PowerBiRefusal) =>
  status === 401 || /\b(TokenExpired|InvalidToken)\b/.test(code)

/** Microsoft names 'application/*'; a proxy's page is HTML. */
const FILE_TYPES = [
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/octet-stream',
]
/** A file of 250 MB over a slow line. */
const FILE_MS = 10 * 60_000
const FILE_HEAD_MS = 15_000

/**
 * Creates the reader of files, which are streamed, so that there is one try.
 * @returns undefined when the service does not have the file; throws ProblemError power-bi-unavailable
 */
export function createFileReader({ apiBase, directory, countCall, log }: RestOptions) {
  return async (path: string): Promise<{ body: ReadableStream<Uint8Array>; type: string } | undefined> => {
    const head = new AbortController()
    const timer = setTimeout(() => head.abort(), FILE_HEAD_MS)
    const start = performance.now()
    try {
      const signal = AbortSignal.any([head.signal, AbortSignal.timeout(FILE_MS)])
      const token = await directory.read(signal)
      const headers = { authorization: `Bearer ${token}` }
      const reply = await fetch(`${apiBase}/v1.0/myorg${path}`, { headers, signal })
      countCall('power-bi', classifyStatus(reply.status), performance.now() - start)
      const { status, ok, body } = reply
      const type = reply.headers.get('content-type') ?? ''
      if (ok && body && FILE_TYPES.includes(type.replace(/;.*/, '').toLowerCase())) return { body, type }
      await body?.cancel()
      log.warn({ path, status, type }, 'Power BI refused a file')
      if (status === 404 || status === 410) return undefined
      throw new TransientError(status, {
        requestId: reply.headers.get('requestid'),
        retryAfterSeconds: Number(reply.headers.get('retry-after')) || undefined,
      })
    } catch (error) {
      if (error instanceof ProblemError) throw error
      throw new ProblemError('power-bi-unavailable', {
        retryAfterSeconds: getRetryAfter(error) ?? 10,
        cause: error,
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Joins the codes of body and header; either may be the more specific one. */
function toRefusal({ status, headers }: Response, body: Record<string, unknown> | undefined): PowerBiRefusal {
  const error = body?.error as { code?: unknown; message?: unknown } | null | undefined
  // Accepts only code-like text, because it comes from outside.
  const codes = [error?.code, headers.get('x-powerbi-error-info')].filter((code) =>
    /^\w{1,60}$/.test(String(code ?? '')),
  )
  const code = [...new Set(codes)].join(' / ')
  // The service's gateway only sends {"Message": "API is not accessible for application"}.
  const message = error?.message ?? body?.Message ?? body?.message ?? ''
  return new PowerBiRefusal(status, code, String(message), headers.get('requestid'))
}

/** Creates the error of a missing or malformed reply. */
export function createUnreadableError(what: string): ProblemError {
  return createUnavailableProblem(new Error(what))
}

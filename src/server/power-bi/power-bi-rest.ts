import { backoffDelay, retry } from '#contract/timing.ts'
import { type Log, withHost } from '#server/log.ts'
import { classifyFailure } from './classify-failure.ts'
import type { DirectoryTokens } from './directory-token.ts'
import { DirectoryRefusal, NoAnswer, PowerBiRefusal, ProxyReply, readRetryAfter } from './failures.ts'
import { isTemporary, OUTCOMES } from './outcomes.ts'
import { type CountCall, classifyStatus, measureCall, parseJsonObject } from './power-bi.ts'

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
 * @throws PowerBiRefusal, DirectoryRefusal, ProxyReply, NoAnswer
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
    const retryAfterSeconds = readRetryAfter(reply.headers)
    if (reply.ok && retryAfterSeconds) onRetryAfter?.(retryAfterSeconds)
    if (reply.ok && answer) return answer
    if (reply.status === 202) return {}
    // Treated as transient.
    if (reply.ok) throw new Error('Power BI answered without a JSON object')
    const refusal = toRefusal(reply, answer ?? text)
    const { status, code, message, requestId } = refusal
    log.warn(
      { method, path, status, code, answer: message, powerBiRequestId: requestId },
      'Power BI refused a call',
    )
    // The directory token may be revoked: the second try uses a new one.
    if (isTokenRefusal(refusal)) directory.invalidate(token)
    throw refusal
  }

  return async (method, path, body, options = {}) => {
    const overall = AbortSignal.timeout(options.budgetMs ?? ALL_TRIES_MS)
    try {
      return await retry(
        () => tryOnce(overall, method, path, body, options),
        (error, failures) => {
          const isWorthwhile = isTokenRefusal(error) || (!options.isOnce && isBrief(error))
          if (failures >= TRIES || !isWorthwhile) return undefined
          const { retryAfterSeconds = 0 } = error as Partial<PowerBiRefusal>
          const pauseMs = backoffDelay(failures, { ...BACKOFF, retryAfterMs: retryAfterSeconds * 1000 })
          return pauseMs > BACKOFF.maxMs ? undefined : pauseMs
        },
        overall,
      )
    } catch (error) {
      throw isFailure(error) ? error : new NoAnswer('power-bi', error)
    }
  }
}

const isFailure = (error: unknown) =>
  [PowerBiRefusal, DirectoryRefusal, ProxyReply, NoAnswer].some((kind) => error instanceof kind)

/** Whether the service may answer within seconds; the directory was asked for long enough. */
function isBrief(error: unknown): boolean {
  if (!(error instanceof PowerBiRefusal)) return !isFailure(error)
  const { pauseSeconds = 60 } = OUTCOMES[classifyFailure(error, 'report').outcome]
  return pauseSeconds < 60
}

/** An expired directory token may give 403 too (Microsoft, 'Troubleshoot REST APIs'). */
const isTokenRefusal = (error: unknown) =>
  error instanceof PowerBiRefusal &&
  (error.status === 401 || /\b(TokenExpired|InvalidToken)\b/.test(error.code))

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
 * @returns undefined when the service does not have the file; throws as PowerBiRest does
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
      const isPage = /html/i.test(type)
      const text = ok || isPage ? '' : await reply.text()
      if (text === '') await body?.cancel()
      const refusal = toRefusal(reply, parseJsonObject(text) ?? text)
      const { code, message: answer, requestId: powerBiRequestId } = refusal
      log.warn({ path, status, type, code, answer, powerBiRequestId }, 'Power BI refused a file')
      if (isPage && status !== 429 && status < 500) throw new ProxyReply(new URL(apiBase).host, status)
      const isGone = status === 404 || status === 410
      if (isGone && !isTemporary(classifyFailure(refusal, 'export-file').outcome)) return undefined
      throw ok ? new NoAnswer('power-bi', `a file of type ${type}`) : refusal
    } catch (error) {
      throw isFailure(error) ? error : new NoAnswer('power-bi', error)
    } finally {
      clearTimeout(timer)
    }
  }
}

type Body = Record<string, unknown>

/**
 * Joins codes and words, which may stand in the body's `error`, at its root (Fabric), in details
 * (`error.details`, `moreDetails`), in 'pbi.error' and in a header; each may be the more specific one.
 */
function toRefusal({ status, headers }: Response, body: Body | string): PowerBiRefusal {
  const root: Body = typeof body === 'string' ? { message: /^\s*</.test(body) ? '' : body } : body
  const error = (root.error ?? {}) as Body
  const inner = (error['pbi.error'] ?? {}) as Body
  const listed = [error.details, root.moreDetails, inner.details]
  const details = listed.flatMap((list) => (Array.isArray(list) ? list : [])) as (Body | null)[]
  const codes = [
    ...[error.code, root.errorCode, root.code, inner.code, headers.get('x-powerbi-error-info')],
    ...details.map((detail) => detail?.errorCode ?? detail?.code),
    // Accepts only code-like text, because it comes from outside.
  ].filter((code) => /^\w{1,60}$/.test(String(code ?? '')))
  const said = [
    // The service's gateway only sends {"Message": "API is not accessible for application"}.
    ...[root.error, error.message, root.Message, root.message],
    ...details.map((detail) => detail?.message ?? (detail?.detail as Body | undefined)?.value),
  ].filter((words) => typeof words === 'string')
  return new PowerBiRefusal(status, [...new Set(codes)].join(' / '), [...new Set(said)].join(' · '), {
    requestId: headers.get('requestid') ?? (typeof root.requestId === 'string' ? root.requestId : null),
    retryAfterSeconds: readRetryAfter(headers),
  })
}

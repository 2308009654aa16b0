import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { PROBLEMS } from '#contract/problem.ts'
import type { Route } from '#contract/route.ts'
import type { Log } from '#server/log.ts'
import type { HttpApp } from './http-app.ts'
import { replyAnnotations } from './implement.ts'
import { ProblemError, toProblem } from './problem-error.ts'

const MAX_HEADER_BYTES = 16 * 1024
/** Interval of closing idle connections while draining; a request must send its first byte within it. */
const IDLE_SWEEP_MS = 250
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** Longer than proxies keep connections (Caddy 2 minutes), so that they never use one closed here. */
const IDLE_CONNECTION_MS = 125_000

export interface ListenOptions {
  host: string
  port: number
  /** Set on every reply; a handler's header of the same name takes precedence. */
  headers: [string, string][]
  /** Logs one line per request at level info. */
  requestLog: Log
  logIps?: boolean
  /** Logs successful probes too, which come every second. */
  logProbes?: boolean
  /** Called for each finished reply; see Metrics. */
  countRequest: (route: Route | undefined, status: number, ms: number) => void
}

/**
 * Serves the app over HTTP and logs each request.
 * @throws the system's error if it cannot listen (EADDRINUSE, EACCES)
 */
export async function listen(app: HttpApp, options: ListenOptions): Promise<Server> {
  const handle = getRequestListener(app.fetch, {
    errorHandler: () =>
      new Response(formatMalformedRequest('invalid-input'), {
        status: 400,
        headers: { 'content-type': 'application/problem+json' },
      }),
  })
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    addMissingHost(incoming)
    for (const [name, value] of options.headers) outgoing.setHeader(name, value)
    logOnClose(incoming, outgoing, options)
    void handle(incoming, outgoing)
  }
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      connectionsCheckingInterval: 5_000,
      // The app checks it, so that the refusal has a body.
      requireHostHeader: false,
    },
    answer,
  )
  // Expectations other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', answer)
  server.on('clientError', (error, socket) => rejectMalformedRequest(error, socket, options.headers))
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return server
}

const PROBES = ['/api/health/live', '/api/health/ready']
/** Matches the entire path, so that dot segments do not lead elsewhere. */
const PROBE = /^\/api\/health\/\w+$/

/** Adds a Host header to health checks without one (HTTP/1.0, HAProxy's default; F5's is empty). */
function addMissingHost({ url, headers, rawHeaders, httpVersionMajor }: IncomingMessage): void {
  if (headers.host || httpVersionMajor === 0 || !PROBE.test(url ?? '')) return
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && /^host$/i.test(text))
  headers.host = 'localhost'
  rawHeaders.splice(at < 0 ? rawHeaders.length : at, 2, 'Host', headers.host)
}

const CLIENT_CLOSED_REQUEST = 499

function logOnClose(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { requestLog, logIps, logProbes, countRequest }: ListenOptions,
): void {
  const isLogged = requestLog.isLevelEnabled('info')
  const start = performance.now()
  outgoing.once('close', () => {
    const ms = performance.now() - start
    const { route, userId, ip } = replyAnnotations(outgoing)
    countRequest(route, outgoing.headersSent ? outgoing.statusCode : CLIENT_CLOSED_REQUEST, ms)
    // Without the query, which may contain pasted secrets.
    const path = incoming.url?.split('?', 1)[0] ?? ''
    const isQuiet = !logProbes && outgoing.statusCode === 200 && PROBES.includes(path)
    if (!isLogged || isQuiet) return
    requestLog.info(
      {
        requestId: outgoing.getHeader('x-request-id'),
        method: incoming.method,
        path,
        status: outgoing.statusCode,
        userId,
        ip: logIps ? ip : undefined,
        ms: Math.round(ms * 10) / 10,
        isAborted: !outgoing.writableFinished || undefined,
      },
      'request',
    )
  })
}

/** All in ms. */
interface DrainTimeouts {
  /** Time to accept new connections after the signal, so that load balancers notice. */
  graceMs: number
  /** Timeout of running requests after the grace. */
  timeoutMs: number
}

/**
 * Accepts requests for the grace, closing each connection after its reply, then stops listening and
 * resolves once all connections are closed. Closing the listener resets what the kernel has queued.
 */
export async function drain(server: Server, { graceMs, timeoutMs }: DrainTimeouts): Promise<void> {
  server.prependListener('request', (_, outgoing) => outgoing.setHeader('Connection', 'close'))
  if (graceMs > 0) await wait(graceMs)
  await closeWhenIdle(server, timeoutMs)
}

/** Not http.Server.close(), which immediately cuts connections whose request is still arriving. */
function closeWhenIdle(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
    const force = setTimeout(() => server.closeAllConnections(), timeoutMs)
    NetServer.prototype.close.call(server, () => {
      clearInterval(sweep)
      clearTimeout(force)
      resolve()
    })
  })
}

/** Codes of Node's HTTP parser with a problem of their own. */
const PARSER_ERRORS = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
} as const

type MalformedRequest = (typeof PARSER_ERRORS)[keyof typeof PARSER_ERRORS] | 'invalid-input'

/** Returns the problem JSON of a request that never reached the app. */
function formatMalformedRequest(code: MalformedRequest): string {
  const detail = code === 'invalid-input' ? { detail: 'O pedido não pôde ser lido.' } : {}
  return JSON.stringify(toProblem(new ProblemError(code, detail), randomUUID()))
}

/** Answers malformed HTTP with a problem as well, and closes the connection. */
function rejectMalformedRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  headers: [string, string][],
): void {
  const { _httpMessage: running } = socket as { _httpMessage?: { headersSent: boolean } }
  if (!socket.writable || running?.headersSent || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const code = PARSER_ERRORS[error.code as keyof typeof PARSER_ERRORS] ?? 'invalid-input'
  const body = formatMalformedRequest(code)
  const [status] = PROBLEMS[code]
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

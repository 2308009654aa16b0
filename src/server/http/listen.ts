import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Log } from '#server/log.ts'
import type { HttpApp } from './http-app.ts'
import { describeBrokenRequest, refuseBrokenRequest } from './refuse-broken-request.ts'

const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000

export interface ListenOptions {
  host: string
  port: number
  /** Set on every reply; a handler's own header of the same name wins. */
  headers: [string, string][]
  /** Takes a line for each request at level info. */
  requestLog: Log
}

/**
 * Serves the app over HTTP and logs each request.
 * @throws the system's error when the port cannot be had (EADDRINUSE, EACCES)
 */
export async function listen(app: HttpApp, options: ListenOptions): Promise<Server> {
  const handle = getRequestListener(app.fetch, {
    errorHandler: () =>
      new Response(describeBrokenRequest('invalid-input'), {
        status: 400,
        headers: { 'content-type': 'application/problem+json' },
      }),
  })
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    for (const [name, value] of options.headers) outgoing.setHeader(name, value)
    logWhenDone(incoming, outgoing, options.requestLog)
    void handle(incoming, outgoing)
  }
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      // Left to the app, whose refusal has a body.
      requireHostHeader: false,
    },
    answer,
  )
  // Expectations beside 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', answer)
  server.on('clientError', (error, socket) => refuseBrokenRequest(error, socket, options.headers))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return server
}

function logWhenDone(incoming: IncomingMessage, outgoing: ServerResponse, log: Log): void {
  if (!log.isLevelEnabled('info')) return
  const start = performance.now()
  outgoing.once('close', () => {
    log.info(
      {
        requestId: outgoing.getHeader('x-request-id'),
        method: incoming.method,
        // Without the query: nothing secret belongs there, but people paste links.
        path: incoming.url?.split('?', 1)[0],
        status: outgoing.statusCode,
        ms: Math.round((performance.now() - start) * 10) / 10,
        isAborted: !outgoing.writableFinished || undefined,
      },
      'request',
    )
  })
}

/** Stops accepting, lets running requests finish, and resolves when the last connection is gone. */
export function drain(server: Server, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), withinMs)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}

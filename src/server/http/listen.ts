import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Log } from '#server/log.ts'
import type { HttpApp } from './http-app.ts'

const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000

export interface ListenOptions {
  host: string
  port: number
  /** Set on every reply; a handler's own header of the same name wins. */
  headers: [string, string][]
  log: Log
}

/** A request that is not even HTTP: answered in the same form as every other failure. */
const BAD_REQUEST = JSON.stringify({
  type: 'urn:patio:problem:invalid-input',
  title: 'Dados inválidos',
  status: 400,
  detail: 'O pedido não pôde ser lido.',
  code: 'invalid-input',
})

/**
 * Serves the app over HTTP and logs each request.
 * @throws the system's error when the port cannot be had (EADDRINUSE, EACCES)
 */
export async function listen(app: HttpApp, options: ListenOptions): Promise<Server> {
  const handle = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: () =>
      new Response(BAD_REQUEST, { status: 400, headers: { 'content-type': 'application/problem+json' } }),
  })
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
    },
    (incoming, outgoing) => {
      for (const [name, value] of options.headers) outgoing.setHeader(name, value)
      logWhenDone(incoming, outgoing, options.log)
      void handle(incoming, outgoing)
    },
  )
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

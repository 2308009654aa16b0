import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'

/** Clients with more unread data are disconnected; they fetch what they missed when they reconnect. */
const MAX_UNREAD_BYTES = 64 * 1024
/** Clients that have not read the rest of a closed stream within it are disconnected. */
const CLOSE_TIMEOUT_MS = 10_000

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // Proxies that compress or buffer would delay events.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  // Ends the connection with the stream, so that clients reconnect through another.
  Connection: 'close',
}

/** An open response of server-sent events (HTML Standard, section 9.2). */
export interface EventStream {
  /** Sends encoded events, which streams may share; disconnects clients that do not read. */
  write(events: Uint8Array): void
  close(): void
}

/**
 * Accepts a new stream.
 * @returns cleanup, called once when either side has ended the stream
 * @throws ProblemError to refuse it before anything is written
 */
export type AcceptStream = (stream: EventStream) => () => void

export function encodeEvent(data: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
}

/** Encodes the client's delay before it reconnects, in ms. */
export function encodeRetry(ms: number): Uint8Array {
  return Buffer.from(`retry: ${ms}\n\n`)
}

/** Comment line that keeps proxies from closing an idle stream. */
export const HEARTBEAT: Uint8Array = Buffer.from(':\n\n')

/** Opens a stream on Node's response: a web stream per client would use several times the memory. */
export function openEventStream(context: Context, accept: AcceptStream): Response {
  const { incoming, outgoing } = context.env as HttpBindings
  if (incoming.method === 'HEAD') return context.body(null, 200, HEADERS)
  // A client that has disconnected already would never emit 'close'.
  if (outgoing.destroyed) return RESPONSE_ALREADY_SENT
  const isOver = () => outgoing.destroyed || outgoing.writableEnded
  const onEnd = accept({
    write(events) {
      if (isOver()) return
      if (outgoing.writableLength > MAX_UNREAD_BYTES) outgoing.destroy()
      else {
        if (!outgoing.headersSent) outgoing.writeHead(200, HEADERS)
        outgoing.write(events)
      }
    },
    close() {
      if (isOver()) return
      outgoing.end()
      const timer = setTimeout(() => outgoing.destroy(), CLOSE_TIMEOUT_MS)
      outgoing.once('close', () => clearTimeout(timer))
    },
  })
  if (!outgoing.headersSent) outgoing.writeHead(200, HEADERS).flushHeaders()
  outgoing.once('close', onEnd)
  return RESPONSE_ALREADY_SENT
}

import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'

/** A client that leaves so much unread does not read at all: what it missed it fetches when it comes back. */
const MAX_UNREAD_BYTES = 64 * 1024

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // Proxies that compress or collect hold events back.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  // The connection ends with the stream, so that a client comes back through another.
  Connection: 'close',
}

/** A reply of server-sent events (HTML Standard, section 9.2) that is under way. */
export interface EventStream {
  /** Sends encoded events, which many streams may share; cuts a client off that does not read. */
  write(events: Uint8Array): void
  close(): void
}

/**
 * Takes over a stream that is about to begin.
 * @returns what to do when it has ended, whoever ended it
 * @throws ProblemError to refuse it, as long as nothing has been written
 */
export type AcceptStream = (stream: EventStream) => () => void

export function encodeEvent(id: number, data: object): Uint8Array {
  return Buffer.from(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** How long a client waits before it comes back, in ms. */
export function encodeRetry(ms: number): Uint8Array {
  return Buffer.from(`retry: ${ms}\n\n`)
}

/** A line that only shows that the stream lives, for the proxies on the way. */
export const HEARTBEAT: Uint8Array = Buffer.from(':\n\n')

/** Begins a stream on Node's response itself: a web stream for each client would cost several times the memory. */
export function openEventStream(context: Context, accept: AcceptStream): Response {
  const { incoming, outgoing } = context.env as HttpBindings
  if (incoming.method === 'HEAD') return context.body(null, 200, HEADERS)
  // Somebody who hung up meanwhile would never be seen to leave.
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
      if (!isOver()) outgoing.end()
    },
  })
  if (!outgoing.headersSent) outgoing.writeHead(200, HEADERS).flushHeaders()
  outgoing.once('close', onEnd)
  return RESPONSE_ALREADY_SENT
}

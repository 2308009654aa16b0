import { connect } from 'node:net'
import fc from 'fast-check'

const LINES = [
  'GET /api/health/live HTTP/1.1',
  'POST /api/auth/verify HTTP/1.1',
  'POST /api/support-messages HTTP/1.1',
  'GET /api/../api/profiles HTTP/1.1',
  'GET http://localhost/api/profiles HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'TRACE /api/profiles HTTP/1.1',
  'CONNECT example.com:443 HTTP/1.1',
  'GET /%ff%fe HTTP/1.1',
  'PRI * HTTP/2.0',
]
const HEADERS = [
  'Host: localhost',
  'Content-Length: 5',
  'Content-Length: 999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, gzip',
  'Content-Type: application/json',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Connection: upgrade, close',
  'Authorization: Bearer x',
  'If-Match: "\u00e9"',
  ' folded: header',
  'X-Forwarded-For: 1.2.3.4, , ,',
  `X-Long: ${'x'.repeat(9_000)}`,
]
const BODIES = ['', '{}', '5\r\nhello\r\n0\r\n\r\n', 'ffffffff\r\n', '\u0000\u0001', '{"a":'.repeat(500)]

/** Bytes that a broken or hostile client might send. */
export const rawBytes: fc.Arbitrary<Buffer> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...LINES),
        fc.array(fc.constantFrom(...HEADERS), { maxLength: 6 }),
        fc.constantFrom(...BODIES),
        fc.nat(30),
      )
      .map(([line, headers, body, cut]) =>
        Buffer.from(
          [line, ...headers, '', body].join('\r\n').slice(0, cut > 25 ? -cut : undefined),
          'latin1',
        ),
      ),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
)

/** How a connection ended: 'answered', or what happened instead. */
export type End =
  | 'answered'
  | 'closed without an answer'
  /** The request was incomplete, so the server rightly waited until the client closed. */
  | 'waited for the rest'
  /** A complete request without a timely reply. */
  | 'left hanging'
  /** The server kept the connection open although nothing could follow. */
  | 'not let go'

interface RawOutcome {
  /** The statuses of all replies, including 100 Continue. */
  statuses: number[]
  /** Time from the connection to the first reply; 0 without one. */
  ms: number
  end: End
}

/** Wait for a reply to an incomplete request: some are refused at once. */
const GLANCE_MS = 100

/**
 * Sends bytes to the portal, reads the reply, and closes after the first one.
 * @param maxMs time limit of the reply to a complete request, and of the server's close afterwards
 */
export function sendBytes(port: number, bytes: Buffer, maxMs: number): Promise<RawOutcome> {
  const startedAt = performance.now()
  const isWhole = isWholeRequest(bytes)
  return new Promise((resolve) => {
    let received = ''
    let ms = 0
    let silence: End = 'closed without an answer'
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const finish = (end: End) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ statuses: toStatuses(received), ms, end: ms > 0 && end !== 'not let go' ? 'answered' : end })
    }
    const hangUp = () => {
      clearTimeout(timer)
      timer = setTimeout(() => finish('not let go'), maxMs)
      socket.end()
    }
    let timer = setTimeout(
      () => {
        if (isWhole) return finish('left hanging')
        silence = 'waited for the rest'
        hangUp()
      },
      isWhole ? maxMs : GLANCE_MS,
    )
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (ms > 0 || !toStatuses(received).some((status) => status >= 200)) return
      ms = performance.now() - startedAt
      hangUp()
    })
    socket.on('close', () => finish(silence))
    socket.on('error', () => finish(silence))
  })
}

function toStatuses(received: string): number[] {
  return [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1]))
}

/**
 * Whether the request is complete. False in doubt: chunked
 * bodies, a short body, half of an HTTP/2 preface.
 */
function isWholeRequest(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const head = text.slice(0, end + 2)
  if (end < 0 || head.startsWith('PRI ') || /^transfer-encoding:/im.test(head)) return false
  const lengths = [...head.matchAll(/^content-length: *(\d+)\r$/gim)].map((match) => Number(match[1]))
  return lengths.every((length) => text.length - end - 4 >= length)
}

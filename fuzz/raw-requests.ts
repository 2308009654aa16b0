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

/**
 * Writes bytes to the portal, closes the sending side and reads what comes back.
 * @returns the statuses of all replies, none when the connection was simply closed
 */
export function sendBytes(port: number, bytes: Buffer, longestMs: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1')
    const done = () => {
      socket.destroy()
      resolve([...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1])))
    }
    socket.setTimeout(longestMs, () => {
      socket.destroy()
      reject(new Error(`the connection was still open after ${longestMs} ms`))
    })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('close', done)
    socket.on('error', done)
    socket.end(bytes)
  })
}

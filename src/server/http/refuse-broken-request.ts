import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { PROBLEMS } from '#contract/problem.ts'
import { ProblemError, problemOf } from './problem-error.ts'

/** Codes of Node's HTTP parser that mean more than 'not HTTP'. */
const CODES = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
} as const

type BrokenRequest = (typeof CODES)[keyof typeof CODES] | 'invalid-input'

/** The problem JSON of a request that never reached the app. */
export function describeBrokenRequest(code: BrokenRequest): string {
  const detail = code === 'invalid-input' ? { detail: 'O pedido não pôde ser lido.' } : {}
  return JSON.stringify(problemOf(new ProblemError(code, detail), randomUUID()))
}

/** Answers what is not even HTTP in the same form as every other failure, and hangs up. */
export function refuseBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  headers: [string, string][],
): void {
  const { _httpMessage: running } = socket as { _httpMessage?: { headersSent: boolean } }
  if (!socket.writable || running?.headersSent || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const code = CODES[error.code as keyof typeof CODES] ?? 'invalid-input'
  const body = describeBrokenRequest(code)
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

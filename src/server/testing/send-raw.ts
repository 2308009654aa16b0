import { connect } from 'node:net'
import type { TestPortal } from './test-portal.ts'

export interface RawReply {
  status: number
  headers: Record<string, string>
  contentType: string | null
  text: string
}

/**
 * Sends raw bytes and reads one reply, for requests that no HTTP client would send.
 * @param isEnded whether to half-close the socket after the bytes
 */
export function sendRaw(portal: TestPortal, bytes: string | Uint8Array, isEnded = false): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(portal.url).port), '127.0.0.1')
    const chunks: Buffer[] = []
    const finish = () => {
      socket.destroy()
      const reply = parseReply(Buffer.concat(chunks).toString('latin1'))
      if (reply) resolve(reply)
      else reject(new Error(`no whole reply: ${Buffer.concat(chunks).toString('latin1')}`))
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (parseReply(Buffer.concat(chunks).toString('latin1'))) finish()
    })
    socket.on('error', reject)
    socket.on('close', finish)
    socket.write(bytes)
    if (isEnded) socket.end()
  })
}

function parseReply(text: string): RawReply | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const length = statusLine.includes(' 204 ') ? 0 : Number(headers['content-length'] ?? Number.NaN)
  const body = text.slice(end + 4)
  if (Number.isNaN(length) || body.length < length) return undefined
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    contentType: headers['content-type'] ?? null,
    text: Buffer.from(body, 'latin1').toString('utf8'),
  }
}

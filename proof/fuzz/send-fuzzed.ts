import { Agent, request as httpRequest } from 'node:http'
import type { FuzzedRequest } from './arbitrary-request.ts'
import type { Callers } from './callers.ts'

export interface Sent {
  /** 0 when no answer came. */
  status: number
  ms: number
  text: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends one request as its caller and reads the answer; of a stream only that it opened. */
export async function sendFuzzed(
  portalUrl: string,
  request: FuzzedRequest,
  callers: Callers,
  longestMs: number,
): Promise<Sent> {
  const token = await callers.tokenOf(request.caller)
  const sent = await sendOnce(portalUrl, request, token, longestMs)
  if (sent.status === 401) callers.forget(request.caller)
  return sent
}

function sendOnce(
  portalUrl: string,
  { method, path, headers, body }: FuzzedRequest,
  token: string | undefined,
  longestMs: number,
): Promise<Sent> {
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const end = (status: number, text: string) => resolve({ status, ms: performance.now() - startedAt, text })
    const sent = httpRequest(`${portalUrl}${path}`, {
      method,
      agent,
      timeout: longestMs,
      headers: {
        ...headers,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(bytes && { 'content-length': bytes.length }),
      },
    })
    sent.on('response', (reply) => {
      let text = ''
      if (reply.headers['content-type']?.startsWith('text/event-stream')) {
        end(reply.statusCode ?? 0, '')
        return void sent.destroy()
      }
      reply.on('data', (chunk: Buffer) => {
        if (text.length < 2_000) text += chunk.toString()
      })
      reply.on('end', () => end(reply.statusCode ?? 0, text))
      reply.on('error', (error) => end(0, String(error)))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${longestMs} ms`)))
    sent.on('error', (error) => end(0, String(error)))
    sent.end(bytes)
  })
}

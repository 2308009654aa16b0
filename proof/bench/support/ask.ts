import { type Agent, request as httpRequest } from 'node:http'

/** One answer, or the error of a connection that broke. */
export interface Answer {
  /** performance.now() of the sending. */
  sentAt: number
  ms: number
  /** 0 when no answer came. */
  status: number
  error?: string
  body: string
}

export interface Asked {
  method?: string
  path: string
  /** An access token. */
  token?: string
  /** Sent as JSON. */
  body?: unknown
  /** Of silence; 15,000 when left out, 0 for as long as it takes. */
  timeoutMs?: number
  /** Left out, each request has a connection of its own. */
  agent?: Agent
  headers?: Record<string, string>
}

/** Sends one request; never throws, since a broken connection may be what is being looked for. */
export function ask(portalUrl: string, asked: Asked): Promise<Answer> {
  const { method = 'GET', path, token, body, timeoutMs = 15_000, agent = false } = asked
  const text = body === undefined ? undefined : JSON.stringify(body)
  const sentAt = performance.now()
  return new Promise((resolve) => {
    const end = (rest: Pick<Answer, 'status' | 'body'> & { error?: string }) =>
      resolve({ sentAt, ms: performance.now() - sentAt, ...rest })
    const fail = (error: Error & { code?: string }) =>
      end({ status: 0, body: '', error: error.code ?? error.message })
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...asked.headers,
    }
    const sent = httpRequest(
      `${portalUrl}${path}`,
      { method, headers, agent, timeout: timeoutMs },
      (reply) => {
        let received = ''
        reply.setEncoding('utf8')
        reply.on('data', (chunk: string) => {
          received += chunk
        })
        reply.on('error', fail)
        reply.on('end', () => end({ status: reply.statusCode ?? 0, body: received }))
      },
    )
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'TIMEOUT' })))
    sent.on('error', fail)
    sent.end(text)
  })
}

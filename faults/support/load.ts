import { randomUUID } from 'node:crypto'
import { type Agent, request as httpRequest } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

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
  token?: string
  body?: unknown
  timeoutMs?: number
  /** Left out, each request has a connection of its own. */
  agent?: Agent
  headers?: Record<string, string>
}

/** Sends one request; never throws, since a broken connection is what is being looked for. */
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

/** Something that goes on beside a fault. */
export interface Running {
  /** Ends it and waits for what is under way. */
  stop(): Promise<Answer[]>
}

/** Sends a request every `everyMs`, whether or not the earlier ones have been answered. */
export function keepAsking(everyMs: number, send: () => Promise<Answer>): Running {
  const flying: Promise<Answer>[] = []
  const timer = setInterval(() => flying.push(send()), everyMs)
  return {
    async stop() {
      clearInterval(timer)
      return Promise.all(flying)
    },
  }
}

/** A contact message that can be found again; the portal answers 201 once it is kept. */
export function writeMessage(portalUrl: string, marks: string[], timeoutMs?: number): Promise<Answer> {
  const mark = randomUUID()
  const body = {
    name: 'Teste de falha',
    email: 'falha@exemplo.com.br',
    phone: '(21) 98765-4321',
    message: mark,
  }
  return ask(portalUrl, {
    method: 'POST',
    path: '/api/support-messages',
    body,
    ...(timeoutMs && { timeoutMs }),
  }).then((answer) => {
    if (answer.status === 201) marks.push(mark)
    return answer
  })
}

/** Polls until something holds. @returns milliseconds that it took, Infinity when it never did */
export async function timeUntil(holds: () => Promise<boolean>, longestMs: number): Promise<number> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < longestMs) {
    if (await holds()) return performance.now() - startedAt
    await wait(20)
  }
  return Number.POSITIVE_INFINITY
}

import { Agent, request as httpRequest } from 'node:http'
import { EMULATED_REPORTS } from '#emulators/power-bi/catalogue.ts'

/** A reply, or the error of a broken connection. */
export interface Answer {
  /** performance.now() when sent. */
  sentAt: number
  ms: number
  /** 0 when no reply came. */
  status: number
  error?: string
  body: string
}

export interface PortalRequest {
  method?: string
  path: string
  token?: string
  /** Sent as JSON. */
  body?: unknown
  /** Timeout of inactivity in ms; by default 15,000, 0 for none. */
  timeoutMs?: number
  /** By default each request has a new connection. */
  agent?: Agent
  headers?: Record<string, string>
  /** The local source address, any of 127.0.0.0/8. */
  localAddress?: string
}

/** Sends one request; never throws, since a broken connection may be the expected result. */
export function send(portalUrl: string, asked: PortalRequest): Promise<Answer> {
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
      { method, headers, agent, timeout: timeoutMs, localAddress: asked.localAddress },
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

/**
 * Sends requests to one server, `connections` at a time; for a few hundred, not for benchmarks.
 * @throws Error when a connection breaks
 */
export async function sendRequests(
  serverUrl: string,
  requests: readonly PortalRequest[],
  connections: number,
): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  // A server under measurement may be slow.
  const sendNext = async (asked: PortalRequest) => {
    const answer = await send(serverUrl, { timeoutMs: 0, ...asked, agent })
    if (answer.error) throw new Error(`${asked.path} was not answered: ${answer.error}`)
    return answer
  }
  try {
    return await Promise.all(requests.map(sendNext))
  } finally {
    agent.destroy()
  }
}

/** @throws Error when any status is not 200 */
export function assertAllOk(answers: readonly Answer[]): void {
  const bad = answers.filter(({ status }) => status !== 200)
  if (bad.length > 0)
    throw new Error(
      `${bad.length} of ${answers.length} requests failed, the first with ${bad[0]?.status} ${bad[0]?.body}`,
    )
}

/** Returns the browser's request for the embed token of an area's report. */
export function createTokenRequest(token: string, type: string): PortalRequest {
  const report = EMULATED_REPORTS.find((each) => each.type === type)
  if (!report) throw new Error(`no emulated report for ${type}`)
  const { workspaceId, reportId, datasetId } = report
  return {
    method: 'POST',
    path: '/api/functions/get-powerbi-token',
    token,
    body: { workspaceId, reportId, datasetId, marcas: [], estados: [] },
  }
}

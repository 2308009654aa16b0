import { Agent, request } from 'node:http'

export interface PlainRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  ms: number
}

/** Sends requests to one server, `connections` of them at a time; the load of a few hundred, not of a benchmark. */
export async function sendRequests(
  serverUrl: string,
  requests: readonly PlainRequest[],
  connections: number,
): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    return await Promise.all(requests.map((each) => sendOne(serverUrl, each, agent)))
  } finally {
    agent.destroy()
  }
}

function sendOne(
  serverUrl: string,
  { method, path, headers, body }: PlainRequest,
  agent: Agent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const sent = request(`${serverUrl}${path}`, { method, headers, agent }, (reply) => {
      reply.on('error', reject)
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, ms: performance.now() - startedAt }))
      reply.resume()
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** @throws Error when any of them was not answered with 200 */
export function assertAllOk(answers: readonly Answer[]): void {
  const bad = answers.filter(({ status }) => status !== 200)
  if (bad.length > 0)
    throw new Error(`${bad.length} of ${answers.length} requests failed, the first with ${bad[0]?.status}`)
}

import { Agent } from 'node:http'
import { type Answer, type Asked, ask } from './ask.ts'

/**
 * Sends requests to one server, `connections` of them at a time; the load of a few hundred, not of a benchmark.
 * @throws Error when a connection breaks
 */
export async function sendRequests(
  serverUrl: string,
  requests: readonly Asked[],
  connections: number,
): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  // A server under measurement may take its time.
  const send = async (asked: Asked) => {
    const answer = await ask(serverUrl, { timeoutMs: 0, ...asked, agent })
    if (answer.error) throw new Error(`${asked.path} was not answered: ${answer.error}`)
    return answer
  }
  try {
    return await Promise.all(requests.map(send))
  } finally {
    agent.destroy()
  }
}

/** @throws Error when any of them was not answered with 200 */
export function assertAllOk(answers: readonly Answer[]): void {
  const bad = answers.filter(({ status }) => status !== 200)
  if (bad.length > 0)
    throw new Error(`${bad.length} of ${answers.length} requests failed, the first with ${bad[0]?.status}`)
}

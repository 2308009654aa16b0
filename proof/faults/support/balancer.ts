import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { ask } from '#proof/bench/support/ask.ts'

/** How often it asks each replica whether it is ready; the grace of a replica that leaves must be longer. */
export const PROBE_MS = 200

/** The port for discarding what is sent: requests to it fail, and count as failed. */
const NOBODY = 'http://127.0.0.1:9'

/** Decides, as a load balancer does, which replica takes the next request. */
export interface Balancer {
  /** The next ready replica, in turn; one that nobody answers for when none is ready. */
  pick(): string
  isReady(replica: string): boolean
  /** Keeps connections to all replicas and uses them again. */
  agent: Agent
  /** How many connections the agent has opened. */
  connections(): number
}

/** A balancer that asks /api/health/ready of each replica until `stop`. */
export async function startBalancer(
  replicas: readonly string[],
): Promise<Balancer & { stop(): Promise<void> }> {
  const ready = new Set(replicas)
  const { agent, connections } = countingAgent()
  let isOver = false
  let turn = 0
  const probe = async (replica: string) => {
    while (!isOver) {
      const { status } = await ask(replica, { path: '/api/health/ready', timeoutMs: 3_000 })
      if (status === 200) ready.add(replica)
      else ready.delete(replica)
      await wait(PROBE_MS)
    }
  }
  const probes = replicas.map(probe)
  return {
    agent,
    connections,
    pick() {
      const candidates = replicas.filter((replica) => ready.has(replica))
      return candidates[turn++ % candidates.length] ?? NOBODY
    },
    isReady: (replica) => ready.has(replica),
    async stop() {
      isOver = true
      await Promise.all(probes)
      agent.destroy()
    },
  }
}

function countingAgent() {
  let opened = 0
  const agent = new Agent({ keepAlive: true })
  const open = agent.createConnection.bind(agent)
  agent.createConnection = (...args) => {
    opened += 1
    return open(...args)
  }
  return { agent, connections: () => opened }
}

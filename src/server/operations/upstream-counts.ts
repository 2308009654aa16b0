import { createLatencies, type Latencies } from './latencies.ts'
import { raiseCount } from './raise-count.ts'

/** 'directory' issues the portal's own token, 'power-bi' is the REST API. */
export type UpstreamService = 'directory' | 'power-bi'
export type UpstreamOutcome = 'ok' | 'refused' | 'throttled' | 'failed' | 'timeout' | 'unreachable'

/** What is counted of one outside service. */
export interface UpstreamFigures {
  service: UpstreamService
  byOutcome: Map<UpstreamOutcome, number>
  latencies: Latencies
}

export interface UpstreamCounts {
  /** Makes a call and counts it by how it ends: the status of its reply, or the error that it rejects with. */
  watch(service: UpstreamService, call: () => Promise<Response>): Promise<Response>
  read(): UpstreamFigures[]
}

export function createUpstreamCounts(): UpstreamCounts {
  const all = new Map<UpstreamService, UpstreamFigures>()
  const count = (service: UpstreamService, outcome: UpstreamOutcome, ms: number) => {
    const figures = all.get(service) ?? { service, byOutcome: new Map(), latencies: createLatencies() }
    all.set(service, figures)
    raiseCount(figures.byOutcome, outcome)
    figures.latencies.observe(ms)
  }
  return {
    async watch(service, call) {
      const start = performance.now()
      try {
        const reply = await call()
        count(service, outcomeOfStatus(reply.status), performance.now() - start)
        return reply
      } catch (error) {
        const outcome = (error as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable'
        count(service, outcome, performance.now() - start)
        throw error
      }
    },
    read: () => [...all.values()],
  }
}

function outcomeOfStatus(status: number): UpstreamOutcome {
  if (status < 400) return 'ok'
  if (status === 429) return 'throttled'
  return status < 500 ? 'refused' : 'failed'
}

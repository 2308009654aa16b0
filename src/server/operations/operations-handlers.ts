import { sql } from 'kysely'
import type { operationsRoutes } from '#contract/operations.ts'
import { withTimeout } from '#contract/timing.ts'
import type { Handlers } from '#server/http/implement.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Metrics } from './metrics.ts'

const READY_WITHIN_MS = 2_000

interface OperationsServices {
  version: string
  metrics: Metrics
  /** True from SIGTERM on, so that the load balancer stops sending requests. */
  isDraining: () => boolean
}

export function operationsHandlers(services: OperationsServices): Handlers<typeof operationsRoutes> {
  return {
    readLiveness: () => ({ status: 'ok' }),
    async readReadiness({ context }) {
      if (services.isDraining()) throw new ProblemError('shutting-down')
      // Fails on a read-only server, and locks nothing on a writable one.
      const query = sql`select from portal_facts where false for update`
      await withTimeout(query.execute(context.db), READY_WITHIN_MS, () => {
        throw new ProblemError('database-unavailable')
      })
      return { status: 'ok', version: services.version }
    },
    readOpenApi: async () => (await import('#server/http/openapi.ts')).describeApi(),
    readMetrics: () => services.metrics.write(),
  }
}

import { sql } from 'kysely'
import type { healthRoutes, metricsRoutes } from '#contract/operations.ts'
import type { Db } from '#server/database/schema.ts'
import type { Handlers } from '#server/http/implement.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Metrics } from './metrics.ts'

const READY_WITHIN_MS = 2_000

/** @param isDraining true from SIGTERM on, so that the load balancer looks elsewhere */
export function healthHandlers(db: Db, isDraining: () => boolean): Handlers<typeof healthRoutes> {
  return {
    readLiveness: () => ({ status: 'ok' }),
    async readReadiness() {
      if (isDraining())
        throw new ProblemError('database-unavailable', { detail: 'O portal está sendo encerrado.' })
      const late = new Promise<never>((_, reject) => {
        setTimeout(() => reject(new ProblemError('database-unavailable')), READY_WITHIN_MS).unref()
      })
      await Promise.race([sql`select 1`.execute(db), late])
      return { status: 'ok' }
    },
  }
}

export function metricsHandlers(metrics: Metrics): Handlers<typeof metricsRoutes> {
  return { readMetrics: () => metrics.write() }
}

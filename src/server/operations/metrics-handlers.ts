import type { metricsRoutes } from '#contract/operations.ts'
import type { Database } from '#server/database/database.ts'
import type { Handlers } from '#server/http/implement.ts'
import type { Metrics } from './metrics.ts'

export function metricsHandlers(metrics: Metrics, database: Database): Handlers<typeof metricsRoutes> {
  let text: Promise<() => Promise<string>> | undefined
  return {
    async readMetrics() {
      // Loaded when first asked for: a portal that nobody watches starts sooner without it.
      text ??= import('./prometheus-text.ts').then((loaded) => loaded.createPrometheusText(metrics, database))
      return (await text)()
    },
  }
}

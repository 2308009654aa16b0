import type { Finding, healthRoutes } from '#contract/health.ts'
import type { Handlers } from '#server/http/implement.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { listReportFaults } from '#server/reports/report-faults.ts'
import type { ServiceStatus } from './service-status.ts'

/** A run takes some seconds and calls every external service. */
const LIMIT = { max: 6, windowSeconds: 60 }

export interface HealthServices {
  /** Runs all checks; concurrent requests share one run. */
  runPortalChecks: () => Promise<Finding[]>
  consumeRateLimit: ConsumeRateLimit
  serviceStatus: ServiceStatus
}

export function healthHandlers(services: HealthServices): Handlers<typeof healthRoutes> {
  let running: Promise<Finding[]> | undefined
  return {
    async readFindings({ context }) {
      await services.consumeRateLimit(`health ${context.actor.profile.user_id}`, LIMIT)
      running ??= services.runPortalChecks().finally(() => {
        running = undefined
      })
      const items = await running
      const mail = items.find(({ check }) => check === 'mail')
      if (mail) services.serviceStatus.record('mail', mail.grade !== 'fault')
      return { items }
    },
    async readLamps({ context: { db } }) {
      const { serviceStatus } = services
      // The request has just been authenticated with it.
      serviceStatus.record('database', true)
      await serviceStatus.share()
      return { ...serviceStatus.read(), reports: await listReportFaults(db) }
    },
    readCaller: ({ context: { request } }) => ({ ip: request.ip, forwarded: request.forwarded }),
    tryStream: async ({ query: { pause } }) => (await import('./check-address.ts')).sendTestEvents(pause),
  }
}

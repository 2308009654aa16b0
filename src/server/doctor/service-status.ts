import type { ServiceName, ServiceState } from '#contract/health.ts'
import type { Mailer } from '#server/mail/smtp-mailer.ts'
import { classifyFailure } from '#server/mail/smtp-outcomes.ts'
import type { CountCall } from '#server/power-bi/power-bi.ts'

/** Status of external services as seen by this process, without polling. */
export interface ServiceStatus {
  record(service: ServiceName, isGood: boolean): void
  read(): Record<ServiceName, ServiceState>
}

/** Creates the status; services are unknown until used. */
export function createServiceStatus(clock: () => number): ServiceStatus {
  const states: Record<ServiceName, ServiceState> = {
    mail: { isGood: null, since: null },
    powerBi: { isGood: null, since: null },
    database: { isGood: null, since: null },
  }
  return {
    record(service, isGood) {
      if (states[service].isGood === isGood) return
      states[service] = { isGood, since: new Date(clock()).toISOString() }
    },
    read: () => ({ ...states }),
  }
}

/** Wraps a mailer to track whether the server accepts mails. */
export function trackStatus(mailer: Mailer, { record }: ServiceStatus): Mailer {
  return {
    async deliver(mail) {
      try {
        const answer = await mailer.deliver(mail)
        record('mail', true)
        return answer
      } catch (error) {
        // A recipient that does not exist is not the server's fault.
        record('mail', /^(recipient|message)$/.test(classifyFailure(error).blame))
        throw error
      }
    },
  }
}

/** Wraps a counter to track the directory and the service; a refused report concerns only that report. */
export function trackUpstreamStatus(count: CountCall, { record }: ServiceStatus): CountCall {
  return (service, outcome, ms) => {
    count(service, outcome, ms)
    const isOneReport = service === 'power-bi' && outcome === 'refused'
    if (!isOneReport) record('powerBi', outcome === 'ok')
  }
}

import type { ServiceName, ServiceStatus } from '#contract/health.ts'
import { isRefusedForGood } from '#server/mail/outbox.ts'
import type { Mailer } from '#server/mail/smtp-mailer.ts'
import type { CountCall } from '#server/power-bi/power-bi.ts'

/** Status of external services as seen by this process, without polling. */
export interface Lamps {
  note(lamp: ServiceName, isGood: boolean): void
  read(): Record<ServiceName, ServiceStatus>
}

/** Creates the status; services are unknown until used. */
export function createLamps(clock: () => number): Lamps {
  const states: Record<ServiceName, ServiceStatus> = {
    mail: { isGood: null, since: null },
    powerBi: { isGood: null, since: null },
    database: { isGood: null, since: null },
  }
  return {
    note(lamp, isGood) {
      if (states[lamp].isGood === isGood) return
      states[lamp] = { isGood, since: new Date(clock()).toISOString() }
    },
    read: () => ({ ...states }),
  }
}

/** Wraps a mailer to track whether the server accepts mails. */
export function withLamp(mailer: Mailer, { note }: Lamps): Mailer {
  return {
    async deliver(mail) {
      try {
        await mailer.deliver(mail)
        note('mail', true)
      } catch (error) {
        // A recipient that does not exist is not the server's fault.
        note('mail', isRefusedForGood(error))
        throw error
      }
    },
  }
}

/** Wraps a counter to track the directory and the service; a refused report concerns only that report. */
export function countWithLamp(count: CountCall, { note }: Lamps): CountCall {
  return (service, outcome, ms) => {
    count(service, outcome, ms)
    const isOneReport = service === 'power-bi' && outcome === 'refused'
    if (!isOneReport) note('powerBi', outcome === 'ok')
  }
}

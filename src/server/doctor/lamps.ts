import type { ServiceName, ServiceStatus } from '#contract/health.ts'
import { isRefusedForGood } from '#server/mail/outbox.ts'
import type { Mailer } from '#server/mail/smtp-mailer.ts'
import type { CountCall } from '#server/power-bi/power-bi.ts'

/** What this process has seen of the services that it uses; nothing is asked for it. */
export interface Lamps {
  note(lamp: ServiceName, isGood: boolean): void
  read(): Record<ServiceName, ServiceStatus>
}

/** All are unknown until the service has been used once. */
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

/** A mailer whose lamp tells whether the server takes what it is given. */
export function withLamp(mailer: Mailer, { note }: Lamps): Mailer {
  return {
    async deliver(mail) {
      try {
        await mailer.deliver(mail)
        note('mail', true)
      } catch (error) {
        // A recipient that does not exist is no fault of the server's.
        note('mail', isRefusedForGood(error))
        throw error
      }
    },
  }
}

/** Counts on, and notes what the directory and the service answer; a report that is refused is that report's own trouble. */
export function countWithLamp(count: CountCall, { note }: Lamps): CountCall {
  return (service, outcome, ms) => {
    count(service, outcome, ms)
    const isOneReport = service === 'power-bi' && outcome === 'refused'
    if (!isOneReport) note('powerBi', outcome === 'ok')
  }
}

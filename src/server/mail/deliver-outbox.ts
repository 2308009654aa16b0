import { setTimeout as wait } from 'node:timers/promises'
import { deliverNextMail, type OutboxDeps } from './deliver-next-mail.ts'

const POLL_MS = 1_000
/**
 * Rest after each mail. On the embedded database requests wait while a mail is prepared, and more is prepared
 * for an address that has an account: without the rest the next answers would tell.
 */
const REST_MS = 30

/** The worker that empties the outbox; every replica runs one. */
export interface Outbox {
  /** Looks for due mails from now on, every second. */
  start(): void
  /** Says that a mail has been queued, so that it leaves at once. Does nothing before start(). */
  nudge(): void
  /** Sends everything that is due now. */
  deliverDue(): Promise<void>
  /** Takes no further mail and waits for the one that is being sent. */
  stop(): Promise<void>
}

/**
 * Makes the worker.
 * @param pollMs how often it looks for mails that are due again, or that another replica left behind
 */
export function createOutbox(deps: OutboxDeps, pollMs = POLL_MS): Outbox {
  let poll: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isNudged = false

  const deliverWhile = async (mayGoOn: () => boolean, restMs: number) => {
    while (mayGoOn() && (await deliverNextMail(deps))) await wait(restMs)
  }
  const isStarted = () => poll !== undefined
  const report = reportOnce(deps.log)
  const run = async () => {
    do {
      isNudged = false
      await report(deliverWhile(isStarted, REST_MS))
    } while (isNudged && isStarted())
    running = undefined
  }
  return {
    start() {
      poll ??= setInterval(() => {
        running ??= run()
      }, pollMs)
      running ??= run()
    },
    nudge() {
      if (!isStarted()) return
      // A run under way may already have found nothing: it looks once more.
      isNudged = true
      running ??= run()
    },
    deliverDue: () => deliverWhile(() => true, 0),
    async stop() {
      clearInterval(poll)
      poll = undefined
      await running
    },
  }
}

/** Logs the first of a row of failures: while the database is away, every poll fails. */
function reportOnce(log: OutboxDeps['log']) {
  let isFailing = false
  return async (run: Promise<void>) => {
    try {
      await run
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'outbox stalled')
      isFailing = true
    }
  }
}

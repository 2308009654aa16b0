import { setTimeout as wait } from 'node:timers/promises'

/** Work that many ask for and that is done once for all of them. */
export interface Coalesced {
  /** Has it done soon. */
  wake(): void
  /** Does nothing more, and waits for what is under way. */
  stop(): Promise<void>
}

/**
 * One run at a time, one more when it was asked for meanwhile, and a rest after each.
 * @param work must not fail
 */
export function coalesce(work: () => Promise<void>, restMs: number): Coalesced {
  let running: Promise<void> | undefined
  let isAsked = false
  let isStopped = false
  const run = async () => {
    while (isAsked && !isStopped) {
      isAsked = false
      await work()
      await wait(restMs)
    }
    running = undefined
  }
  return {
    wake() {
      isAsked = true
      running ??= run()
    },
    async stop() {
      isStopped = true
      await running
    },
  }
}

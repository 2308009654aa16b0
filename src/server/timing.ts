import { setTimeout as wait } from 'node:timers/promises'

/** What comes first: the work or, after a while, what `onLate` gives or throws. What is under way still ends by itself. */
export function withinMs<T, S>(work: Promise<T>, ms: number, onLate: () => S): Promise<T | S> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, late.then(onLate)]).finally(() => clearTimeout(timer))
}

/**
 * Work that many ask for: one run at a time, one more when it was asked for meanwhile, and a rest after each.
 * @param work must not fail
 */
export function coalesce(work: () => Promise<void>, restMs: number) {
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
    /** Does nothing more, and waits for what is under way. */
    async stop() {
      isStopped = true
      await running
    },
  }
}

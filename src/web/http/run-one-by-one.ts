import { isDefiniteRefusal } from './api-error.ts'
import { logWarning } from './log.ts'

/** However fast it is asked for, the work runs no oftener than this. */
const REST_MS = 150
const MAX_REST_MS = 30_000
/** Work that has failed this often waits until it is asked for again. */
const MAX_FAILURES = 8

/**
 * Makes work that may be asked for in bursts run once at a time: at once when nothing runs, and otherwise once
 * more afterwards, whatever the number of times it was asked for meanwhile. Failed, it is tried again later and
 * later, unless the server has said its last word.
 */
export function runOneByOne(work: () => Promise<void>): () => void {
  let isRunning = false
  let isAskedAgain = false
  const run = async () => {
    isRunning = true
    let failures = 0
    do {
      isAskedAgain = false
      try {
        await work()
        failures = 0
      } catch (error) {
        logWarning('What changed could not be read', error)
        failures += 1
        if (failures < MAX_FAILURES && !isDefiniteRefusal(error)) isAskedAgain = true
      }
      const restMs = failures > 0 ? Math.min(MAX_REST_MS, 500 * 2 ** failures) : REST_MS
      await new Promise((resolve) => setTimeout(resolve, restMs))
    } while (isAskedAgain)
    isRunning = false
  }
  return () => {
    if (isRunning) isAskedAgain = true
    else void run()
  }
}

/** Runs one job per key, never two at once for the same key. See createTokenQueue. */
export interface TokenQueue {
  add(key: string): void
  addAlone(key: string): void
  startNow(key: string): Promise<void>
  isRunning(key: string): boolean
  clear(): void
}

const AT_ONCE = 3
/** After this the first token is the service's own affair: the others no longer slow it down. */
const FIRST_ALONE_MS = 3_000

/**
 * The order in which tokens are asked for: one alone, the others behind it three at a time (DESIGN section 5);
 * what the person waits for jumps the queue and is not counted against the three.
 * @param run does the job of a key; must not reject
 */
export function createTokenQueue(run: (key: string) => Promise<void>): TokenQueue {
  let waiting: string[] = []
  let running = new Map<string, Promise<void>>()
  let alone: { timer: ReturnType<typeof setTimeout> } | undefined

  function pump(): void {
    while (!alone && running.size < AT_ONCE && waiting[0] !== undefined) void startNow(waiting[0])
  }

  function startNow(key: string): Promise<void> {
    waiting = waiting.filter((other) => other !== key)
    const known = running.get(key)
    if (known) return known
    const mine = running
    const job = run(key).then(() => {
      // After clear() a late job belongs to nobody.
      mine.delete(key)
      pump()
    })
    running.set(key, job)
    return job
  }

  function endAlone(mine: typeof alone): void {
    clearTimeout(mine?.timer)
    if (alone === mine) alone = undefined
    pump()
  }

  return {
    add(key) {
      if (!running.has(key) && !waiting.includes(key)) waiting.push(key)
      pump()
    },
    /** Starts a job at once and holds the others back until it is done, for three seconds at most. */
    addAlone(key) {
      const mine = { timer: setTimeout(() => endAlone(mine), FIRST_ALONE_MS) }
      alone = mine
      void startNow(key).then(() => endAlone(mine))
    },
    startNow,
    isRunning: (key) => running.has(key),
    /** Forgets what waits and what runs. */
    clear() {
      clearTimeout(alone?.timer)
      alone = undefined
      waiting = []
      running = new Map()
    },
  }
}

/** After this the first token is the service's own affair: the others no longer slow it down. */
const FIRST_ALONE_MS = 3_000
const AT_ONCE = 3

/**
 * Runs a job per key, never two at once for the same key: one alone, the others behind it three at a time; what
 * the person waits for jumps the queue and is not counted against the three.
 * @param run does the job of a key; must not reject
 */
export function createTokenQueue<T>(run: (key: string) => Promise<T>) {
  let waiting: string[] = []
  let running = new Map<string, Promise<T>>()
  let alone: { timer: ReturnType<typeof setTimeout> } | undefined

  function pump(): void {
    while (!alone && running.size < AT_ONCE && waiting[0] !== undefined) void startNow(waiting[0])
  }

  async function start(key: string, mine: typeof running): Promise<T> {
    const result = await run(key)
    // After clear() a late job is in another map.
    mine.delete(key)
    pump()
    return result
  }

  function startNow(key: string): Promise<T> {
    waiting = waiting.filter((other) => other !== key)
    const job = running.get(key) ?? start(key, running)
    running.set(key, job)
    return job
  }

  function endAlone(mine: typeof alone): void {
    clearTimeout(mine?.timer)
    if (alone === mine) alone = undefined
    pump()
  }

  return {
    add(key: string): void {
      if (!running.has(key) && !waiting.includes(key)) waiting.push(key)
      pump()
    },
    /** Starts a job at once and holds the others back until it is done, for three seconds at most. */
    addAlone(key: string): void {
      const mine = { timer: setTimeout(() => endAlone(mine), FIRST_ALONE_MS) }
      alone = mine
      void startNow(key).then(() => endAlone(mine))
    },
    startNow,
    isRunning: (key: string) => running.has(key),
    /** Forgets what waits and what runs. */
    clear(): void {
      clearTimeout(alone?.timer)
      alone = undefined
      waiting = []
      running = new Map()
    },
  }
}

/** Waits; ends at once, without an error, when the signal aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end)
  })
}

/** What comes first: the work or, after a while, what `onLate` gives or throws. What is under way still ends by itself. */
export function withinMs<T, S>(work: Promise<T>, ms: number, onLate: () => S): Promise<T | S> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, late.then(onLate)]).finally(() => clearTimeout(timer))
}

interface Backoff {
  firstMs: number
  maxMs: number
  /** Adds up to so much at random, so that clients do not come back all at once. */
  jitterMs?: number
  /** What the other side asked for, if it did. */
  retryAfterMs?: number | undefined
}

/**
 * Computes the exponential backoff in milliseconds: doubling up to a cap, and never sooner than was asked for.
 * @param failures in a row, from 1
 */
export function backoffDelay(
  failures: number,
  { firstMs, maxMs, jitterMs = 0, retryAfterMs = 0 }: Backoff,
): number {
  return Math.max(retryAfterMs, Math.min(maxMs, firstMs * 2 ** (failures - 1))) + Math.random() * jitterMs
}

/**
 * Repeats work until it succeeds.
 * @param delayAfter milliseconds to wait after the n-th failure (from 1), undefined to give up with its error
 * @param signal ends the wait and the retries
 */
export async function retry<T>(
  work: () => Promise<T>,
  delayAfter: (error: unknown, failures: number) => number | undefined,
  signal?: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (error) {
      const delayMs = signal?.aborted ? undefined : delayAfter(error, failures)
      if (delayMs === undefined) throw error
      await wait(delayMs, signal)
      if (signal?.aborted) throw error
    }
  }
}

/**
 * Coalesces requests for work: one run at a time, one more when it was asked for meanwhile, and a rest after each.
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

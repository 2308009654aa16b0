/** Waits; resolves early when the signal aborts. */
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

/** Resolves with the work, or after a timeout with the result of `onLate`, which may throw. */
export function withTimeout<T, S>(work: Promise<T>, ms: number, onLate: () => S): Promise<T | S> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, late.then(onLate)]).finally(() => clearTimeout(timer))
}

interface Backoff {
  firstMs: number
  maxMs: number
  /** Random addition, so that clients do not return at the same time. */
  jitterMs?: number
  /** Retry-After of the other side. */
  retryAfterMs?: number | undefined
}

/**
 * Computes the exponential backoff in ms: doubles up to the cap, never less than Retry-After.
 * @param failures in a row, from 1
 */
export function backoffDelay(
  failures: number,
  { firstMs, maxMs, jitterMs = 0, retryAfterMs = 0 }: Backoff,
): number {
  return Math.max(retryAfterMs, Math.min(maxMs, firstMs * 2 ** (failures - 1))) + Math.random() * jitterMs
}

/**
 * Retries work until it succeeds.
 * @param delayAfter ms to wait after the n-th failure (from 1), undefined to give up with its error
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
 * Coalesces requests: one run at a time, one more if requested meanwhile, and a pause after each.
 * @param work must not fail
 */
export function coalesce(work: () => Promise<void>, restMs: number) {
  let running: Promise<void> | undefined
  let isRequested = false
  let isStopped = false
  const run = async () => {
    while (isRequested && !isStopped) {
      isRequested = false
      await work()
      await wait(restMs)
    }
    running = undefined
  }
  return {
    wake() {
      isRequested = true
      running ??= run()
    },
    /** Starts no more runs, and waits for the current one. */
    async stop() {
      isStopped = true
      await running
    },
  }
}

/** Formats '40 segundos', '10 minutos', '3 horas', rounded up so that a retry is never too early. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return formatUnit(seconds, 'second')
  if (seconds <= 3_600) return formatUnit(seconds / 60, 'minute')
  return formatUnit(seconds / 3_600, 'hour')
}

function formatUnit(value: number, unit: 'second' | 'minute' | 'hour'): string {
  return Math.ceil(value).toLocaleString('pt-BR', { style: 'unit', unit, unitDisplay: 'long' })
}

/**
 * Starts measuring elapsed time, in ms: the larger of wall clock and performance.now(), since the
 * former may be set back, and the latter stands still while some computers sleep.
 */
export function startStopwatch(): () => number {
  const wallStart = Date.now()
  const start = performance.now()
  return () => Math.max(Date.now() - wallStart, performance.now() - start)
}

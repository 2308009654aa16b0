/** Upper bounds of the buckets, in ms; a last one without a bound takes the rest. */
export const LATENCY_BOUNDS_MS = [2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

/** How long things took. Plain numbers, because the server counts every request in one. */
export interface Latencies {
  observe(ms: number): void
  /** Bounds and how many took no longer than each; the last stands for all. */
  readonly buckets: readonly number[]
  readonly sumMs: number
}

export function createLatencies(): Latencies {
  const buckets = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0)
  let sumMs = 0
  return {
    observe(ms) {
      let bucket = 0
      while (bucket < LATENCY_BOUNDS_MS.length && ms > (LATENCY_BOUNDS_MS[bucket] as number)) bucket++
      buckets[bucket] = (buckets[bucket] as number) + 1
      sumMs += ms
    },
    get buckets() {
      let seen = 0
      return buckets.map((count) => {
        seen += count
        return seen
      })
    },
    get sumMs() {
      return sumMs
    },
  }
}

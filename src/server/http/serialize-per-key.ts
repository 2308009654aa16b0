const queues = new Map<string, { last: Promise<unknown>; length: number }>()

/** Runs the work once earlier work of its key has ended, also if that failed. */
export async function serializePerKey<T>(key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
  queues.set(key, queue)
  queue.length++
  const current = queue.last.then(work, work)
  queue.last = current
  try {
    return await current
  } finally {
    if (--queue.length === 0) queues.delete(key)
  }
}

/** Counts the work of a key that runs or waits. */
export const countQueued = (key: string): number => queues.get(key)?.length ?? 0

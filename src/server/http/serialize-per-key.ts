const pendingByKey = new Map<string, Promise<unknown>>()

/** Runs the work once earlier work of its key has ended, also if that failed. */
export async function serializePerKey<T>(key: string, work: () => Promise<T>): Promise<T> {
  const current = (pendingByKey.get(key) ?? Promise.resolve()).then(work, work)
  pendingByKey.set(key, current)
  try {
    return await current
  } finally {
    if (pendingByKey.get(key) === current) pendingByKey.delete(key)
  }
}

export const isSerializing = (key: string): boolean => pendingByKey.has(key)

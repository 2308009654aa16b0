/**
 * Creates a storage that falls back to memory while the page is open,
 * since a browser may refuse access (cookies blocked, quota exceeded).
 */
function createSafeStorage(storage: () => Storage) {
  const memory = new Map<string, string>()
  const withFallback = <T>(use: (stored: Storage) => T, fallback: T): T => {
    try {
      return use(storage())
    } catch {
      return fallback
    }
  }
  const remove = (key: string) => {
    memory.delete(key)
    withFallback((stored) => stored.removeItem(key), undefined)
  }
  return {
    get: (key: string): string | null =>
      withFallback((stored) => stored.getItem(key), null) ?? memory.get(key) ?? null,
    /** @returns whether the value survives the page */
    set(key: string, value: string): boolean {
      memory.delete(key)
      const isStored = withFallback((stored) => {
        stored.setItem(key, value)
        return true
      }, false)
      if (isStored) return true
      // Without room for the new value, the old one must not be returned instead.
      remove(key)
      memory.set(key, value)
      return false
    },
    remove,
    /** Returns the keys that survive the page. */
    keys: (): string[] =>
      withFallback(
        (stored) => Array.from({ length: stored.length }, (_, index) => stored.key(index) ?? ''),
        [],
      ),
  }
}

/** Shared by all tabs. */
// biome-ignore lint/style/noRestrictedGlobals: the only access
export const sharedStorage = createSafeStorage(() => localStorage)
/** Of this tab only; survives a reload. */
// biome-ignore lint/style/noRestrictedGlobals: the only access
export const tabStorage = createSafeStorage(() => sessionStorage)

/** Returns the unsent input of a form; survives a reload, not the end of the browser's session. */
export function readDraft<T extends object>(key: string): Partial<T> {
  try {
    return JSON.parse(tabStorage.get(key) ?? '{}')
  } catch {
    return {}
  }
}

export function storeDraft(key: string, draft: object): void {
  tabStorage.set(key, JSON.stringify(draft))
}

/**
 * Runs the work in one tab at a time, by Web Locks. Runs it at
 * once where the browser refuses locks, as it does with storage.
 * @throws the errors of the work, or the signal's reason when aborted while waiting
 */
export async function runInOneTab<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  if (typeof navigator === 'undefined' || !navigator.locks) return work()
  let hasStarted = false
  const start = () => {
    hasStarted = true
    return work()
  }
  try {
    return await navigator.locks.request(name, signal ? { signal } : {}, start)
  } catch (error) {
    if (hasStarted || signal?.aborted) throw error
    return work()
  }
}

/**
 * The browser's storage, asked here alone: a browser may refuse it (cookies blocked, no room left), and the page
 * then keeps what it would have stored for as long as it is open.
 */
function guard(storage: () => Storage) {
  const memory = new Map<string, string>()
  const attempt = <T>(use: (stored: Storage) => T, refused: T): T => {
    try {
      return use(storage())
    } catch {
      return refused
    }
  }
  const remove = (key: string) => {
    memory.delete(key)
    attempt((stored) => stored.removeItem(key), undefined)
  }
  return {
    get: (key: string): string | null =>
      attempt((stored) => stored.getItem(key), null) ?? memory.get(key) ?? null,
    /** @returns whether it outlives the page */
    set(key: string, value: string): boolean {
      memory.delete(key)
      const isKept = attempt((stored) => {
        stored.setItem(key, value)
        return true
      }, false)
      if (isKept) return true
      // Where the new value finds no room, the old one must not answer for it.
      remove(key)
      memory.set(key, value)
      return false
    },
    remove,
  }
}

/** Shared by every tab. */
// biome-ignore lint/style/noRestrictedGlobals: the one place that asks for it
export const sharedStorage = guard(() => localStorage)
/** Of this tab alone; outlives a reload. */
// biome-ignore lint/style/noRestrictedGlobals: the one place that asks for it
export const tabStorage = guard(() => sessionStorage)

/**
 * Runs the work in one tab of the browser at a time. Where locks cannot be had, which a browser that refuses storage
 * refuses too, it runs at once.
 * @throws what the work throws, or the signal's reason when it is aborted while it waits
 */
export async function inOneTab<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  if (typeof navigator === 'undefined' || !navigator.locks) return work()
  let hasBegun = false
  const begin = () => {
    hasBegun = true
    return work()
  }
  try {
    return await navigator.locks.request(name, signal ? { signal } : {}, begin)
  } catch (error) {
    if (hasBegun || signal?.aborted) throw error
    return work()
  }
}

import { LRUCache } from 'lru-cache'

/**
 * Creates a bounded cache with TTLs by the portal's clock. Concurrent fetches of a key are coalesced,
 * failures not cached. Check access before reading.
 * @param clock ms since the epoch
 */
export function createCache<V extends NonNullable<unknown>, C = unknown>(
  clock: () => number,
  options: Omit<LRUCache.OptionsMaxLimit<string, V, C>, 'perf' | 'ttlResolution'>,
): LRUCache<string, V, C> {
  return new LRUCache({ ...options, perf: { now: clock }, ttlResolution: 0, ignoreFetchAbort: true })
}

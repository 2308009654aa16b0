import { LRUCache } from 'lru-cache'

/**
 * Creates a bounded cache whose times to live go by the portal's clock. Fetches of one key at the same time coalesce,
 * failures are not kept. Whoever may read a key is decided before.
 * @param clock ms since the epoch
 */
export function createCache<V extends NonNullable<unknown>, C = unknown>(
  clock: () => number,
  options: Omit<LRUCache.OptionsMaxLimit<string, V, C>, 'perf' | 'ttlResolution'>,
): LRUCache<string, V, C> {
  return new LRUCache({ ...options, perf: { now: clock }, ttlResolution: 0, ignoreFetchAbort: true })
}

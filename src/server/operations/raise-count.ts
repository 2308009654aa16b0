/** Adds one to what a map counts under a key. */
export function raiseCount<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

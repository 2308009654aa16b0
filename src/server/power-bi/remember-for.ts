const MOST_ENTRIES = 1_000

/**
 * Remembers an asynchronous answer by its key for a while; callers at the same time share one flight,
 * failures are never remembered.
 * @param ms how long an answer stays good
 * @param clock ms since the epoch
 */
export function rememberFor<T>(
  ms: number,
  clock: () => number,
  read: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const entries = new Map<string, { answer: Promise<T>; until: number }>()
  return (key) => {
    const known = entries.get(key)
    if (known && known.until > clock()) return known.answer
    const answer = read(key)
    answer.catch(() => {
      if (entries.get(key)?.answer === answer) entries.delete(key)
    })
    if (entries.size >= MOST_ENTRIES) entries.delete(entries.keys().next().value as string)
    entries.set(key, { answer, until: clock() + ms })
    return answer
  }
}

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTokenQueue } from './token-book.ts'

/** A queue whose jobs end only when told to, and a record of what was started. */
function slowQueue() {
  const started: string[] = []
  const endings = new Map<string, () => void>()
  const queue = createTokenQueue((key) => {
    started.push(key)
    return new Promise<void>((resolve) => endings.set(key, resolve))
  })
  const finish = async (key: string) => {
    endings.get(key)?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { queue, started, finish }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('order of token requests', () => {
  it('asks for the first alone, then for the others three at a time in their order', async () => {
    const { queue, started, finish } = slowQueue()
    queue.addAlone('c')
    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key)
    expect(started).toEqual(['c'])
    await finish('c')
    expect(started).toEqual(['c', 'a', 'b', 'd'])
    await finish('b')
    expect(started).toEqual(['c', 'a', 'b', 'd', 'e'])
  })

  it('lets the others in after three seconds even if the first hangs', async () => {
    const { queue, started } = slowQueue()
    queue.addAlone('a')
    queue.add('b')
    await vi.advanceTimersByTimeAsync(2_999)
    expect(started).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(1)
    expect(started).toEqual(['a', 'b'])
  })

  it('starts at once what the person waits for, and only once', () => {
    const { queue, started } = slowQueue()
    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key)
    void queue.startNow('e')
    void queue.startNow('e')
    expect(started).toEqual(['a', 'b', 'c', 'e'])
  })

  it('forgets everything when cleared, and a late job starts nothing', async () => {
    const { queue, started, finish } = slowQueue()
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key)
    queue.clear()
    queue.add('a')
    expect(started).toEqual(['a', 'b', 'c', 'a'])
    await finish('b')
    expect(started).toEqual(['a', 'b', 'c', 'a'])
  })
})

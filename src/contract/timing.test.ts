import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { backoffDelay, coalesce, retry, startStopwatch, wait } from './timing.ts'

describe('coalesce', () => {
  test('starts at once, and pauses after each run', async () => {
    const work = vi.fn(async () => {})
    const { wake, stop } = coalesce(work, 20)
    const start = performance.now()
    wake()
    expect(work).toHaveBeenCalledOnce()
    while (work.mock.calls.length < 4) {
      wake()
      await turn()
    }
    // A timer may fire a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(3 * (20 - 1))
    await stop()
  })

  test('runs once more if woken during a run, and never after the stop', async () => {
    let finish = () => {}
    const work = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    )
    const { wake, stop } = coalesce(work, 1)
    wake()
    for (let count = 0; count < 5; count++) wake()
    expect(work).toHaveBeenCalledTimes(1)
    finish()
    await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2))
    wake()
    const stopped = stop()
    finish()
    await stopped
    wake()
    await wait(20)
    expect(work).toHaveBeenCalledTimes(2)
  })
})

describe('backoffDelay', () => {
  const rule = { firstMs: 2_000, maxMs: 60_000 }

  test('doubles from the first delay to the cap', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((failures) => backoffDelay(failures, rule))
    expect(delays).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  test('is never shorter than Retry-After, and adds jitter to either', () => {
    expect(backoffDelay(1, { ...rule, retryAfterMs: 90_000 })).toBe(90_000)
    for (let count = 0; count < 20; count++) {
      const delay = backoffDelay(1, { ...rule, jitterMs: 1_000 })
      expect(delay).toBeGreaterThanOrEqual(2_000)
      expect(delay).toBeLessThan(3_000)
    }
  })
})

describe('retry', () => {
  test('repeats until the work succeeds or no delay is left', async () => {
    const work = vi.fn<() => Promise<string>>().mockResolvedValue('feito')
    work.mockRejectedValueOnce(new Error('1')).mockRejectedValueOnce(new Error('2'))
    const seen: unknown[] = []
    await expect(retry(work, (error, failures) => seen.push([String(error), failures]))).resolves.toBe(
      'feito',
    )
    expect(seen).toEqual([
      ['Error: 1', 1],
      ['Error: 2', 2],
    ])
    const failing = vi.fn(() => Promise.reject(new Error('não')))
    await expect(retry(failing, (_, failures) => (failures < 3 ? 1 : undefined))).rejects.toThrow('não')
    expect(failing).toHaveBeenCalledTimes(3)
  })

  test('throws the last error once its signal aborts', async () => {
    const ending = new AbortController()
    const work = vi.fn(() => Promise.reject(new Error('não')))
    const end = expect(retry(work, () => 60_000, ending.signal)).rejects.toThrow('não')
    await wait(10)
    ending.abort()
    await end
    expect(work).toHaveBeenCalledOnce()
  })
})

describe('startStopwatch', () => {
  test('goes on after the clock is set back, and counts a sleep that stops performance.now()', () => {
    vi.useFakeTimers()
    const elapsed = startStopwatch()
    vi.setSystemTime(Date.now() - 5 * 3_600_000)
    vi.advanceTimersByTime(2_000)
    expect(elapsed()).toBe(2_000)
    vi.setSystemTime(Date.now() + 6 * 3_600_000)
    expect(elapsed()).toBe(3_602_000)
    vi.useRealTimers()
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError, NetworkError } from '#web/http/send-request.ts'
import { coalesceRuns } from './live-changes.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => vi.useRealTimers())

function refusal(status: number): ApiError {
  return new ApiError({ code: 'forbidden', detail: 'não' } as never, status)
}

describe('coalesceRuns', () => {
  it('runs at once, and once more for all calls meanwhile', async () => {
    const work = vi.fn(async () => void (await new Promise((resolve) => setTimeout(resolve, 1_000))))
    const run = coalesceRuns(work)
    for (let times = 0; times < 5; times += 1) run()
    expect(work).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1_200)
    expect(work).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(work).toHaveBeenCalledTimes(2)
    run()
    expect(work).toHaveBeenCalledTimes(3)
  })

  it('retries failed work until it succeeds', async () => {
    const work = vi.fn<() => Promise<void>>().mockResolvedValue()
    work.mockRejectedValueOnce(new NetworkError()).mockRejectedValueOnce(refusal(503))
    coalesceRuns(work)()
    await vi.advanceTimersByTimeAsync(1_100)
    expect(work).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(work).toHaveBeenCalledTimes(3)
  })

  it('stops at a refusal, and after eight other failures', async () => {
    const refused = vi.fn(() => Promise.reject(refusal(403)))
    coalesceRuns(refused)()
    const lost = vi.fn(() => Promise.reject(new NetworkError()))
    coalesceRuns(lost)()
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(refused).toHaveBeenCalledTimes(1)
    expect(lost).toHaveBeenCalledTimes(8)
  })
})

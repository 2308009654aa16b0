import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { installLocalStorage, makeSession, openTab, problem, stubFetch } from '#web/testing/browser-parts.ts'

let wake: () => Promise<unknown>

beforeEach(() => {
  vi.unstubAllGlobals()
  // Web Locks and BroadcastChannel do not follow fake timers.
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('BroadcastChannel', undefined)
  installLocalStorage()
  const page = new EventTarget()
  vi.stubGlobal('document', Object.assign(page, { visibilityState: 'visible' }))
  vi.stubGlobal('window', new EventTarget())
  wake = () => {
    page.dispatchEvent(new Event('visibilitychange'))
    return vi.advanceTimersByTimeAsync(0)
  }
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => vi.useRealTimers())

async function start(expiresIn: number) {
  const tab = await openTab()
  const { keepSessionFresh } = await import('./session-refresh.ts')
  tab.adoptSession(makeSession(1, { expiresIn }))
  return { tab, stop: keepSessionFresh() }
}

describe('keepSessionFresh', () => {
  it('refreshes a minute before each expiry', async () => {
    const requests = stubFetch(Response.json(makeSession(2)), Response.json(makeSession(3)))
    const { stop } = await start(600)
    await vi.advanceTimersByTimeAsync(538_000)
    expect(requests).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(4_000)
    expect(requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(542_000)
    expect(requests).toHaveLength(2)
    stop()
  })

  it('refreshes at once when the page wakes with an expired session', async () => {
    const requests = stubFetch(Response.json(makeSession(2)))
    const { stop } = await start(600)
    vi.setSystemTime(Date.now() + 20 * 60_000)
    await wake()
    expect(requests).toHaveLength(1)
    stop()
  })

  it('does not refresh after 30 minutes of inactivity', async () => {
    const requests = stubFetch(Response.json(makeSession(2, { expiresIn: 1_800 })))
    const { stop } = await start(600)
    await vi.advanceTimersByTimeAsync(29 * 60_000)
    expect(requests).toHaveLength(1)
    vi.setSystemTime(Date.now() + 20 * 60_000)
    await wake()
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(requests).toHaveLength(1)
    stop()
  })

  it('retries with backoff and honors Retry-After', async () => {
    const failures = [
      new TypeError('fetch failed'),
      problem(503, 'internal'),
      problem(429, 'rate-limited', { 'retry-after': '40' }),
    ]
    const requests = stubFetch(...failures, Response.json(makeSession(2)))
    const { tab, stop } = await start(30)
    const requestsAt = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms - elapsed)
      elapsed = ms
      return requests.length
    }
    let elapsed = 0
    expect(await requestsAt(0)).toBe(1)
    expect(await requestsAt(1_900)).toBe(1)
    expect(await requestsAt(2_100)).toBe(2)
    expect(await requestsAt(5_900)).toBe(2)
    expect(await requestsAt(6_100)).toBe(3)
    expect(await requestsAt(45_900)).toBe(3)
    expect(await requestsAt(46_100)).toBe(4)
    expect(tab.getSession()?.access_token).toBe('access-2')
    stop()
  })

  it('limits refreshes when tokens expire within the margin', async () => {
    const requests = stubFetch(
      ...Array.from({ length: 20 }, (_, i) => Response.json(makeSession(i + 2, { expiresIn: 30 }))),
    )
    const { stop } = await start(30)
    await vi.advanceTimersByTimeAsync(14_000)
    expect(requests.length).toBeLessThanOrEqual(3)
    stop()
  })
})

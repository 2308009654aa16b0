import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RELOAD_TIMEOUT_MS, RENDER_TIMEOUT_MS, recoverFromExpiry } from './token-expiry.ts'

function setUp(hasToken = true) {
  const element = new EventTarget()
  const controller = new AbortController()
  const reload = vi.fn()
  const renewInPlace = async () => hasToken
  const recovery = recoverFromExpiry({ element, renewInPlace, reload, signal: controller.signal })
  const fire = (name: string) => element.dispatchEvent(new Event(name))
  return { recovery, reload, fire, close: () => controller.abort() }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('recovery after TokenExpired', () => {
  it('does not reload a report that renders with its new token', async () => {
    const { recovery, reload, fire } = setUp()
    await vi.advanceTimersByTimeAsync(RENDER_TIMEOUT_MS - 1)
    fire('rendered')
    expect(await recovery).toBe(true)
    expect(reload).not.toHaveBeenCalled()
  })

  it('reloads a report that does not render again, once', async () => {
    const { recovery, reload, fire } = setUp()
    await vi.advanceTimersByTimeAsync(RENDER_TIMEOUT_MS)
    expect(reload).toHaveBeenCalledOnce()
    fire('rendered')
    expect(await recovery).toBe(true)
  })

  it('gives up when the reloaded report fails or fires no event', async () => {
    const failing = setUp()
    await vi.advanceTimersByTimeAsync(RENDER_TIMEOUT_MS)
    failing.fire('error')
    expect(await failing.recovery).toBe(false)
    const silent = setUp()
    await vi.advanceTimersByTimeAsync(RENDER_TIMEOUT_MS + RELOAD_TIMEOUT_MS)
    expect(await silent.recovery).toBe(false)
  })

  it('gives up at once without a token', async () => {
    const { recovery, reload } = setUp(false)
    expect(await recovery).toBe(false)
    expect(reload).not.toHaveBeenCalled()
  })

  it('ends silently when the report is closed', async () => {
    const { recovery, reload, close } = setUp()
    await vi.advanceTimersByTimeAsync(1)
    close()
    expect(await recovery).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
    expect(reload).toHaveBeenCalledTimes(0)
  })
})

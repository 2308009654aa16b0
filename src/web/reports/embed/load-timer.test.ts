import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LOAD_TIMEOUT_MS, startLoadTimer } from './report-frame.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('times out once, after 45 seconds', () => {
  const onTimeout = vi.fn()
  startLoadTimer(() => true, onTimeout)
  vi.advanceTimersByTime(LOAD_TIMEOUT_MS - 1)
  expect(onTimeout).not.toHaveBeenCalled()
  vi.advanceTimersByTime(LOAD_TIMEOUT_MS)
  expect(onTimeout).toHaveBeenCalledOnce()
})

it('does not count time while the report is hidden', () => {
  const onTimeout = vi.fn()
  let isVisible = true
  startLoadTimer(() => isVisible, onTimeout)
  vi.advanceTimersByTime(LOAD_TIMEOUT_MS - 5_000)
  isVisible = false
  vi.advanceTimersByTime(3_600_000)
  expect(onTimeout).not.toHaveBeenCalled()
  isVisible = true
  vi.advanceTimersByTime(4_000)
  expect(onTimeout).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(onTimeout).toHaveBeenCalledOnce()
})

it('never times out once stopped', () => {
  const onTimeout = vi.fn()
  startLoadTimer(() => true, onTimeout)()
  vi.advanceTimersByTime(2 * LOAD_TIMEOUT_MS)
  expect(onTimeout).not.toHaveBeenCalled()
})

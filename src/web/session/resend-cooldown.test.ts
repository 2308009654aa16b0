import { expect, it } from 'vitest'
import { secondsUntil } from './resend-button.tsx'

it('counts whole seconds down to nothing', () => {
  expect(secondsUntil(60_000, 0)).toBe(60)
  expect(secondsUntil(60_000, 1)).toBe(60)
  expect(secondsUntil(60_000, 59_999)).toBe(1)
  expect(secondsUntil(60_000, 60_000)).toBe(0)
  expect(secondsUntil(60_000, 99_000)).toBe(0)
})

it('ignores an end that makes no sense', () => {
  expect(secondsUntil(Number.NaN, 0)).toBe(0)
  expect(secondsUntil(Number(null), 5)).toBe(0)
  expect(secondsUntil(10 * 3_600_000, 0)).toBe(0)
})

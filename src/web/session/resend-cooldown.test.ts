import { expect, it } from 'vitest'
import { parseCooldown } from './resend-button.tsx'

it('parses the end of a cooldown', () => {
  expect(parseCooldown('60000', 0)).toBe(60_000)
  expect(parseCooldown('60000', 99_000)).toBe(60_000)
})

it('ignores an implausible end', () => {
  expect(parseCooldown('soon', 0)).toBeUndefined()
  expect(parseCooldown(String(10 * 3_600_000), 0)).toBeUndefined()
})

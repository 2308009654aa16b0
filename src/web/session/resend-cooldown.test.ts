import { expect, it } from 'vitest'
import { parseCooldownEnd } from './resend-button.tsx'

it('parses the end of a cooldown', () => {
  expect(parseCooldownEnd('60000', 0)).toBe(60_000)
  expect(parseCooldownEnd('60000', 99_000)).toBe(60_000)
})

it('ignores an implausible end', () => {
  expect(parseCooldownEnd('soon', 0)).toBeUndefined()
  expect(parseCooldownEnd(String(10 * 3_600_000), 0)).toBeUndefined()
})

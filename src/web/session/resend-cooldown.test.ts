import { expect, it } from 'vitest'
import { readRest } from './resend-button.tsx'

it('parses the end of a cooldown', () => {
  expect(readRest('60000', 0)).toBe(60_000)
  expect(readRest('60000', 99_000)).toBe(60_000)
})

it('ignores an implausible end', () => {
  expect(readRest('soon', 0)).toBeUndefined()
  expect(readRest(String(10 * 3_600_000), 0)).toBeUndefined()
})

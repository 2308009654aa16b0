import { expect, test } from 'vitest'
import { subtractMonths } from './retention-rules.ts'

test.each([
  ['2026-11-21T10:20:30.000Z', 6, '2026-05-21T10:20:30.000Z'],
  ['2026-03-05T00:00:00.000Z', 24, '2024-03-05T00:00:00.000Z'],
  ['2026-08-31T12:00:00.000Z', 6, '2026-02-28T12:00:00.000Z'],
  ['2024-08-31T12:00:00.000Z', 6, '2024-02-29T12:00:00.000Z'],
  ['2026-01-31T12:00:00.000Z', 2, '2025-11-30T12:00:00.000Z'],
])('%s less %i months is %s', (instant, months, then) => {
  expect(subtractMonths(Date.parse(instant), months).toISOString()).toBe(then)
})

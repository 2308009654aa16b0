import { expect, it } from 'vitest'
import { formatFileDate, formatRecent, formatTimePhrase } from './format-instant.ts'

it.each([
  ['2026-11-23T09:10:00Z', 'hoje, 06:10'],
  ['2026-11-23T03:00:00Z', 'hoje, 00:00'],
  // Still the day before in São Paulo.
  ['2026-11-23T02:59:00Z', 'ontem, 23:59'],
  ['2026-11-21T21:02:00Z', '21/11/2026, 18:02'],
  // A clock that is ahead.
  ['2026-11-24T03:01:00Z', '24/11/2026, 00:01'],
])('%s is formatted as %s', (instant, text) => {
  expect(formatRecent(instant, Date.parse('2026-11-23T20:00:00Z'))).toBe(text)
})

it('formats the time in São Paulo, with the day unless it is today there', () => {
  const now = new Date('2026-11-21T02:30:00Z')
  expect(formatTimePhrase('2026-11-20T17:32:00Z', now)).toBe('às 14:32')
  expect(formatTimePhrase('2026-11-20T02:59:00Z', now)).toBe('em 19/11/2026 às 23:59')
})

it('formats a file date as the day in São Paulo', () => {
  expect(formatFileDate(new Date('2026-11-21T02:30:00Z'))).toBe('2026-11-20')
})

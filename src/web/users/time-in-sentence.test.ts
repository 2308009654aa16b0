import { expect, it } from 'vitest'
import { dayForFileName, timeInSentence } from './time-in-sentence.ts'

it('tells the time in São Paulo, and the day only when it was another one there', () => {
  const now = new Date('2026-11-21T02:30:00Z')
  expect(timeInSentence('2026-11-20T17:32:00Z', now)).toBe('às 14:32')
  expect(timeInSentence('2026-11-20T02:59:00Z', now)).toBe('em 19/11/2026 às 23:59')
})

it('names a file after the day in São Paulo', () => {
  expect(dayForFileName(new Date('2026-11-21T02:30:00Z'))).toBe('2026-11-20')
})

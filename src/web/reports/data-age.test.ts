import { expect, it } from 'vitest'
import { describeAge } from './data-age.tsx'

const MINUTE = 60_000

it.each([
  [-5 * MINUTE, 'agora'],
  [MINUTE - 1, 'agora'],
  [MINUTE, 'há 1 min'],
  [59.9 * MINUTE, 'há 59 min'],
  [60 * MINUTE, 'há 1 h'],
  [47.9 * 60 * MINUTE, 'há 47 h'],
  [48 * 60 * MINUTE, 'há 2 dias'],
])('an age of %d ms is described as %s', (ms, text) => {
  expect(describeAge(ms)).toBe(text)
})

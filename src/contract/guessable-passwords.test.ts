import { expect, it } from 'vitest'
import { findGuessableParts, foldCharacters, formatGuessableParts } from './guessable-passwords.ts'

const NOBODY = { email: '', groupName: '' }
/** 63 characters that fold to eighteen each, a letter, and 63 more. */
const WORST = `${'\uFDFA'.repeat(63)}a${'\uFDFA'.repeat(63)}`

it.each([
  WORST,
  'a'.repeat(1024),
  '1'.repeat(1024),
  'sol'.repeat(340),
  `${'12de'.repeat(250)}x`,
  '1l!|'.repeat(256),
])('findGuessableParts takes no longer for %s than for others', (password) => {
  expect(foldCharacters(password).length).toBeLessThanOrEqual(256)
  const person = { email: `${'x1'.repeat(120)}@grupopatio.com.br`, groupName: 'Grupo Silva' }
  const times = [1, 2, 3].map(() => {
    const start = performance.now()
    findGuessableParts(password, person)
    return performance.now() - start
  })
  // The minimum, because a busy machine interrupts a run now and then.
  expect(Math.min(...times)).toBeLessThan(100)
})

it('formatGuessableParts names at most four parts, none of one or two letters, and none of a good password', () => {
  const sentence = (password: string) => formatGuessableParts(findGuessableParts(password, NOBODY))
  expect(sentence('Toyota')).toBe('Parte fácil de adivinhar: “toyota”.')
  expect(sentence('FiatJeepHondaToyotaNissan')).toBe(
    'Partes fáceis de adivinhar: “fiat”, “jeep”, “honda” e “toyota”.',
  )
  expect(sentence('abababababab')).toBe('Repetição fácil de adivinhar.')
  for (const password of ['', 'X', 'aA', '1212', '12', 'de', 'Travessia-Lunar-88!'])
    expect(sentence(password)).toBeUndefined()
})

import { expect, it } from 'vitest'
import { findGuessableParts, foldCharacters, formatGuessableParts } from './guessable-passwords.ts'

const NOBODY = { email: '', groupName: '' }
/** 63 characters that fold to eighteen each, a letter, and 63 more. */
const WORST = `${'\uFDFA'.repeat(63)}a${'\uFDFA'.repeat(63)}`

it.each([
  [WORST, []],
  ['a'.repeat(1024), ['a']],
  ['1'.repeat(1024), ['1']],
  [`${'12de'.repeat(250)}x`, ['12de']],
  ['1l!|'.repeat(256), ['1l!|']],
])('findGuessableParts looks at no more than 256 characters of %s', (password, parts) => {
  expect(foldCharacters(password)).toHaveLength(256)
  const person = { email: `${'x1'.repeat(120)}@grupopatio.com.br`, groupName: 'Grupo Silva' }
  expect(findGuessableParts(password, person)).toEqual(parts)
})

it('formatGuessableParts names at most four parts, none of one or two letters, and none of a good password', () => {
  const sentence = (password: string) => formatGuessableParts(findGuessableParts(password, NOBODY))
  expect(sentence('Toyota')).toBe('contém “toyota”')
  expect(sentence('FiatJeepHondaToyotaNissan')).toBe('contém “fiat”, “jeep”, “honda” e “toyota”')
  expect(sentence('abababababab')).toBe('é só uma repetição')
  for (const password of ['', 'X', 'aA', '1212', '12', 'de', 'Travessia-Lunar-88!'])
    expect(sentence(password)).toBeUndefined()
})

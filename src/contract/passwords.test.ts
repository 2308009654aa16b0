import { describe, expect, it } from 'vitest'
import {
  changePasswordFormSchema,
  checkPassword,
  createResetFormSchema,
  describeOuterBlanks,
  forcedChangeFormSchema,
  rateStrength,
  STRENGTH_LABELS,
} from './passwords.ts'

const HINTS = {
  length: 'Use pelo menos 12 caracteres',
  upper: 'Adicione letras maiúsculas',
  lower: 'Adicione letras minúsculas',
  digit: 'Adicione números',
  special: 'Adicione caracteres especiais',
}

// A letter without case, so that only the length criterion counts it.
const PLAIN = '字'

describe('rateStrength', () => {
  it.each([
    ['nothing', '', 0],
    ['11 characters', PLAIN.repeat(11), 0],
    ['12 or more characters', PLAIN.repeat(12), 25],
    ['15 characters', PLAIN.repeat(15), 25],
    ['16 or more characters (additional)', PLAIN.repeat(16), 35],
    ['uppercase letter', 'A', 20],
    ['uppercase letter with an accent', 'Á', 20],
    ['lowercase letter', 'a', 20],
    ['lowercase letter with an accent', 'ç', 20],
    ['digit', '7', 20],
    ['special character', '!', 15],
    ['a space as special character', ' ', 15],
    ['everything but the length', 'Aa1!', 75],
    ['everything but 16 characters', 'Aa1!Aa1!Aa1!', 100],
    ['a password of more than 100 points, capped,', 'Aa1!Aa1!Aa1!Aa1!', 100],
    ['all but a special character', 'Aa1Aa1Aa1Aa1', 85],
    ['16 characters but no special character', 'Aa1Aa1Aa1Aa1Aa1A', 95],
  ])('rates %s', (_, password, score) => {
    expect(rateStrength(password).score).toBe(score)
  })

  it.each([
    ['!a', 35, 'weak', 'Fraca'],
    ['Aa', 40, 'medium', 'Média'],
    ['Aa1', 60, 'medium', 'Média'],
    ['aaaaaaaaaaaa1', 65, 'medium', 'Média'],
    ['Aa1!', 75, 'strong', 'Forte'],
    ['Aa1Aa1Aa1Aa1', 85, 'strong', 'Forte'],
    ['Aa1Aa1Aa1Aa1Aa1A', 95, 'very-strong', 'Muito forte'],
    ['Aa1!Aa1!Aa1!', 100, 'very-strong', 'Muito forte'],
  ] as const)('labels %s of %i points as %s, %s', (password, score, level, label) => {
    expect(rateStrength(password)).toMatchObject({ score, level })
    expect(STRENGTH_LABELS[level]).toBe(label)
  })

  it.each([
    ['', Object.values(HINTS)],
    ['A', [HINTS.length, HINTS.lower, HINTS.digit, HINTS.special]],
    ['a', [HINTS.length, HINTS.upper, HINTS.digit, HINTS.special]],
    ['1', [HINTS.length, HINTS.upper, HINTS.lower, HINTS.special]],
    ['!', [HINTS.length, HINTS.upper, HINTS.lower, HINTS.digit]],
    [PLAIN.repeat(12), [HINTS.upper, HINTS.lower, HINTS.digit, HINTS.special]],
    ['Aa1!Aa1!Aa1!', []],
  ])('gives hints for %j', (password, hints) => {
    expect(rateStrength(password).feedback).toEqual(hints)
  })
})

it('describeOuterBlanks names blanks at the start and end, as only a paste leaves them', () => {
  expect(describeOuterBlanks(' a b')).toBe('A senha começa com um espaço.')
  expect(describeOuterBlanks('a\u00a0')).toBe('A senha termina com um espaço.')
  expect(describeOuterBlanks('\ta ')).toBe('A senha começa e termina com um espaço.')
  for (const password of ['', 'a b']) expect(describeOuterBlanks(password)).toBeUndefined()
})

const MISMATCH = 'As senhas não coincidem'
const WEAK = 'Por favor, escolha uma senha mais forte.'
const repeated = (length: number) => 'x'.repeat(length)
const FORMS = {
  forced: forcedChangeFormSchema,
  change: changePasswordFormSchema,
  reset: createResetFormSchema(),
}

it('rateStrength keeps a weak password below 40, whatever its points', () => {
  expect(rateStrength('Patio-2026-Xyz', true)).toMatchObject({ score: 39, level: 'weak', feedback: [] })
  expect(rateStrength('abc!', true).score).toBe(35)
})

describe('the forms that set a password', () => {
  it.each([
    ['forced', 'curta', 'outra', ['A senha deve ter no mínimo 12 caracteres', MISMATCH]],
    ['forced', repeated(129), repeated(129), ['A senha deve ter no máximo 128 caracteres']],
    ['forced', repeated(12), repeated(12), []],
    ['change', 'curta', 'outra', [MISMATCH, 'A nova senha deve ter pelo menos 12 caracteres']],
    ['change', repeated(129), repeated(129), ['A nova senha deve ter no máximo 128 caracteres']],
    ['change', repeated(128), repeated(128), []],
    ['reset', 'Abcde1!', 'Abcde1!', ['A senha deve ter no mínimo 8 caracteres']],
    ['reset', '', '', ['A senha deve ter no mínimo 8 caracteres']],
    ['reset', `A${repeated(128)}`, `A${repeated(128)}`, ['A senha deve ter no máximo 128 caracteres']],
    ['reset', 'abcdefg!', 'abcdefg?', [MISMATCH]],
    // 35 points.
    ['reset', 'abcdefg!', 'abcdefg!', [WEAK]],
    ['reset', 'Abcdefgh', 'Abcdefgh', []],
  ] as const)('%s: %j and %j', (form, password, confirmation, messages) => {
    const { error } = FORMS[form].safeParse({ password, confirmation })
    expect(error?.issues.map(({ message }) => message) ?? []).toEqual(messages)
  })

  it('reset: refuses a guessable password as weak', () => {
    const schema = createResetFormSchema((password) => password.includes('Patio'))
    expect(checkPassword(schema, 'Patio-2026-Xyz')).toBe(WEAK)
    expect(checkPassword(schema, 'Travessia-2026')).toBeUndefined()
  })

  it('report the first broken rule to the server', () => {
    expect(checkPassword(forcedChangeFormSchema, 'curta')).toBe('A senha deve ter no mínimo 12 caracteres')
    expect(checkPassword(createResetFormSchema(), 'abcdefg!')).toBe(WEAK)
    expect(checkPassword(changePasswordFormSchema, repeated(12))).toBeUndefined()
  })
})

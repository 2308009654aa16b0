import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DELETION_REFUSALS, decideDeletion } from './delete-users.ts'

const { self, lastAdministrator, unknown } = DELETION_REFUSALS

test.each([
  ['another user', ['b'], ['a'], ['b'], []],
  ['oneself', ['a'], ['a', 'b'], [], [['a', self]]],
  ['oneself as the last administrator', ['a'], ['a'], [], [['a', self]]],
  ['an unknown user', ['z'], ['a'], [], [['z', unknown]]],
  ['the last administrator', ['b'], ['b'], [], [['b', lastAdministrator]]],
  ['all administrators', ['b', 'c'], ['b', 'c'], ['b'], [['c', lastAdministrator]]],
  ['one of two administrators', ['b'], ['a', 'b'], ['b'], []],
  [
    'a mixture of all cases',
    ['z', 'c', 'a', 'b'],
    ['a', 'b'],
    ['c', 'b'],
    [
      ['z', unknown],
      ['a', self],
    ],
  ],
])('%s', (_, wanted, administrators, allowed, errors) => {
  const known = new Set(['a', 'b', 'c'])
  expect(decideDeletion(wanted, { actorId: 'a', known, administrators })).toEqual({
    allowed,
    errors: errors.map(([userId, error]) => ({ userId, error })),
  })
})

test('always keeps an administrator and the caller, and answers for every id', () => {
  const person = fc.constantFrom(...'abcdefgh')
  const people = fc.uniqueArray(person)
  fc.assert(
    fc.property(people, people, people, person, (wanted, known, others, actorId) => {
      const administrators = [...new Set([actorId, ...others])]
      const { allowed, errors } = decideDeletion(wanted, { actorId, known: new Set(known), administrators })
      expect(allowed).not.toContain(actorId)
      expect(administrators.some((one) => !allowed.includes(one))).toBe(true)
      expect([...allowed, ...errors.map(({ userId }) => userId)].sort()).toEqual([...wanted].sort())
    }),
  )
})

import { expect, test } from 'vitest'
import { matchesInWords, selectionInWords, usersInWords } from './count-words.ts'
import type { Selection } from './selection.ts'

test('people are counted as in Brazil', () => {
  expect([0, 1, 2, 9873].map(usersInWords)).toEqual([
    '0 usuários',
    '1 usuário',
    '2 usuários',
    '9.873 usuários',
  ])
})

test('with a filter the count says of how many', () => {
  expect(matchesInWords(312, 312, false)).toBe('312 usuários')
  expect(matchesInWords(12, 9873, true)).toBe('12 de 9.873 usuários')
  expect(matchesInWords(1, 1, true)).toBe('1 de 1 usuário')
  expect(matchesInWords(12, undefined, true)).toBe('12 usuários')
})

const some = (...userIds: string[]): Selection => ({ kind: 'some', userIds, profiles: new Map() })
const all = (count: number, except: string[] = [], filter = {}): Selection => ({
  kind: 'allMatching',
  filter,
  except,
  count,
})

test.each([
  [some('a'), '1 usuário selecionado'],
  [some('a', 'b'), '2 usuários selecionados'],
  [all(9873), 'Todos os 9.873 usuários estão selecionados'],
  [all(9873, [], { q: 'a' }), 'Todos os 9.873 usuários que correspondem estão selecionados'],
  [all(9873, ['a', 'b'], { q: 'a' }), 'Todos os 9.873 usuários que correspondem estão selecionados, menos 2'],
  [all(1, [], { q: 'a' }), 'O único usuário que corresponde está selecionado'],
])('who is selected, in words (%#)', (selection, words) => {
  expect(selectionInWords(selection)).toBe(words)
})

import { describe, expect, test } from 'vitest'
import { MAX_IDS } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import {
  countSelected,
  describeFilter,
  describeSelection,
  deselectMissing,
  findMissing,
  formatMatches,
  formatUserCount,
  isSelected,
  NO_SELECTION,
  type Selection,
  togglePeople,
} from './selection.ts'

const person = (user_id: string) => ({ user_id }) as ManagedProfile
const people = (count: number) => Array.from({ length: count }, (_, index) => person(`p${index}`))
const listIds = (selection: Selection | undefined) =>
  selection?.kind === 'some' && [...selection.profiles.keys()]
const allMatching: Selection = { kind: 'allMatching', filter: {}, except: [], count: 300 }

describe('individually picked people', () => {
  test('are added and removed once each, with their profiles', () => {
    const two = togglePeople(NO_SELECTION, [person('ana'), person('bia'), person('ana')], true)
    expect(two).toMatchObject({ kind: 'some' })
    expect(listIds(two)).toEqual(['ana', 'bia'])
    expect(two && countSelected(two)).toBe(2)
    const one = two && togglePeople(two, [person('ana'), person('caio')], false)
    expect(listIds(one)).toEqual(['bia'])
    expect(one && [isSelected(one, 'ana'), isSelected(one, 'bia')]).toEqual([false, true])
    expect(countSelected(NO_SELECTION)).toBe(0)
  })

  test('never exceed the limit of one request', () => {
    const most = togglePeople(NO_SELECTION, people(MAX_IDS), true)
    expect(most && countSelected(most)).toBe(MAX_IDS)
    expect(most && togglePeople(most, [person('one more')], true)).toBeUndefined()
  })
})

describe('a selection of all who match', () => {
  test('excludes people and includes them again', () => {
    const fewer = togglePeople(allMatching, [person('ana'), person('bia')], false)
    expect(fewer).toEqual({ ...allMatching, except: ['ana', 'bia'] })
    expect(fewer && countSelected(fewer)).toBe(298)
    expect(fewer && [isSelected(fewer, 'ana'), isSelected(fewer, 'caio')]).toEqual([false, true])
    expect(fewer && togglePeople(fewer, [person('ana')], true)).toEqual({ ...allMatching, except: ['bia'] })
  })

  test('becomes empty once everyone is excluded, and refuses more exceptions than one request takes', () => {
    expect(togglePeople({ ...allMatching, count: 2 }, people(2), false)).toEqual(NO_SELECTION)
    expect(togglePeople({ ...allMatching, count: 5_000 }, people(MAX_IDS + 1), false)).toBeUndefined()
  })
})

describe('a person who left the list', () => {
  const isMissing = (userId: string) => userId === 'ana'

  test('is removed from the selection and from the exceptions', () => {
    const two = togglePeople(NO_SELECTION, [person('ana'), person('bia')], true) ?? NO_SELECTION
    const one = deselectMissing(two, isMissing)
    expect(listIds(one)).toEqual(['bia'])
    expect([isSelected(one, 'ana'), isSelected(one, 'bia')]).toEqual([false, true])
    expect(deselectMissing({ ...allMatching, except: ['ana', 'bia'] }, isMissing)).toEqual({
      ...allMatching,
      except: ['bia'],
    })
  })

  test('changes nothing when not selected', () => {
    const one = togglePeople(NO_SELECTION, [person('bia')], true) ?? NO_SELECTION
    expect(deselectMissing(one, isMissing)).toEqual(one)
    expect(deselectMissing(allMatching, isMissing)).toEqual(allMatching)
  })
})

describe('a refetched list', () => {
  const listMissing = (before: string, now: string, isComplete: boolean): string =>
    [...'abcdefgh'].filter(findMissing([...before].map(person), [...now].map(person), isComplete)).join('')

  test('that is complete has lost everyone missing, shown before or not', () => {
    expect(listMissing('abc', 'acd', true)).toBe('befgh')
  })
  test('that is incomplete has lost only people shown before and missing now', () => {
    expect(listMissing('', 'ab', false)).toBe('')
    expect(listMissing('abc', 'abcd', false)).toBe('')
    expect(listMissing('abcd', 'acde', false)).toBe('b')
  })
})

test('counts of people use the Brazilian number format', () => {
  expect([0, 1, 2, 9873].map(formatUserCount)).toEqual([
    '0 usuários',
    '1 usuário',
    '2 usuários',
    '9.873 usuários',
  ])
})

test('the match count names the total when a filter is set', () => {
  expect(formatMatches(312, 312, false)).toBe('312 usuários')
  expect(formatMatches(12, 9873, true)).toBe('12 de 9.873 usuários')
  expect(formatMatches(1, 1, true)).toBe('1 de 1 usuário')
  expect(formatMatches(12, undefined, true)).toBe('12 usuários')
})

const some = (...ids: string[]) => togglePeople(NO_SELECTION, ids.map(person), true) ?? NO_SELECTION
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
])('a selection is described in words (%#)', (selection, words) => {
  expect(describeSelection(selection)).toBe(words)
})

test('a selection of all is described with its filter', () => {
  const filter = { q: 'ana', approved: false, marca: 'FIAT', template: 'x' }
  expect(describeFilter(all(9, [], filter))).toBe(
    'Escolhidos pelo filtro: busca “ana”, Status: pendente, Marca: FIAT, Modelo.',
  )
  expect(describeFilter(all(9))).toBe('Escolhidos sem filtro.')
  expect(describeFilter(some('a'))).toBe('')
})

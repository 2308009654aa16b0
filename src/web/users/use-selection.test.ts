import { describe, expect, test } from 'vitest'
import type { ManagedProfile, ProfileFilter, ProfileSort } from '#contract/users.ts'
import { findWhoLeft } from './use-selection.ts'

const person = (user_id: string, rest: Partial<ManagedProfile> = {}) =>
  ({
    user_id,
    approved: false,
    email_verified_at: null,
    types: [],
    marcas: [],
    estados: [],
    ...rest,
  }) as unknown as ManagedProfile
const people = (ids: string) => [...ids].map((id) => person(id))

interface Case {
  before: readonly ManagedProfile[]
  now: string
  isWhole?: boolean
  filter?: ProfileFilter
  sort?: ProfileSort
}
const leaversOf = ({ before, now, isWhole = false, filter = {}, sort = 'email' }: Case): string =>
  [...'abcdefgh'].filter(findWhoLeft(before, { profiles: people(now), isWhole }, filter, sort)).join('')

test('whoever is not in a list read to its end has left it, seen before or not', () => {
  expect(leaversOf({ before: people('abc'), now: 'acd', isWhole: true })).toBe('befgh')
})

describe('of a list read in part', () => {
  test('those not read yet are not gone', () => {
    expect(leaversOf({ before: [], now: 'ab' })).toBe('')
    expect(leaversOf({ before: people('abc'), now: 'abcd' })).toBe('')
  })
  test('whom somebody new has moved to the next page is not gone', () => {
    expect(leaversOf({ before: people('bcd'), now: 'abc' })).toBe('')
  })
  test('whoever stood before somebody who is still there is gone', () => {
    expect(leaversOf({ before: people('abcd'), now: 'acde' })).toBe('b')
  })
  test.each(['approved', 'email_verified_at', 'last_sign_in_at'] as const)(
    'but by %s may have moved to where nobody has read yet',
    (sort) => {
      expect(leaversOf({ before: people('abcd'), now: 'acde', sort })).toBe('')
    },
  )
  test.each([
    [{ approved: true }, { approved: false }],
    [{ email_verified_at: '2026-01-01T00:00:00Z' }, { verified: false }],
    [{ types: ['HPD'] }, { type: 'Vendas' }],
    [{ marcas: ['VW'] }, { marca: 'FIAT' }],
    [{ estados: ['PR'] }, { estado: 'RJ' }],
  ] as const)('whoever was seen with %j has left %j', (state, filter) => {
    const before = [person('a', state as unknown as Partial<ManagedProfile>)]
    expect(leaversOf({ before, now: 'bcd', filter, sort: 'approved' })).toBe('a')
    expect(leaversOf({ before, now: 'bcd', sort: 'approved' })).toBe('')
  })
  test('whoever matches still may have moved', () => {
    const before = [person('a', { approved: true, types: ['administrativo'] })]
    const filter = { approved: true, verified: false, type: 'Administrativo' } as const
    expect(leaversOf({ before, now: 'bcd', filter, sort: 'approved' })).toBe('')
  })
})

import { describe, expect, test } from 'vitest'
import { SEEDED_CATALOGUE } from '#contract/seeded-catalogue.ts'
import { normalizeSearch, parseUserView, serializeFilter, serializeOrder, toggleOrder } from './user-view.ts'

const byEmail = { sort: 'email', order: 'asc' }

test('an empty query string lists everyone by e-mail', () => {
  expect(parseUserView({}, undefined)).toEqual({ filter: {}, order: byEmail })
})

test('a full query string survives parsing and serializing', () => {
  const search = {
    q: 'joão',
    status: 'pending',
    verified: 'yes',
    type: 'HPD',
    marca: 'OMJA',
    estado: 'PR',
    lastAccess: 'idle',
    reports: 'none',
    allOf: 'marcas:BYD',
    validity: 'ending',
    admin: 'yes',
    secondFactor: 'no',
    sort: 'last_sign_in_at',
    order: 'desc',
  }
  const { filter, order } = parseUserView(search, SEEDED_CATALOGUE)
  expect(filter).toEqual({
    q: 'joão',
    approved: false,
    verified: true,
    type: 'HPD',
    marca: 'OMJA',
    estado: 'PR',
    lastAccess: 'idle',
    reports: 'none',
    allOf: 'marcas:BYD',
    validity: 'ending',
    admin: true,
    secondFactor: false,
  })
  expect(order).toEqual({ sort: 'last_sign_in_at', order: 'desc' })
  expect({ ...serializeFilter(filter), ...serializeOrder(order) }).toEqual(search)
})

test.each([
  ['unknown words', { status: 'APPROVED', verified: 'true', type: 'vendas', marca: 'BMW', estado: 'SP' }],
  ['properties of Object.prototype', { status: 'constructor', verified: '__proto__', sort: 'toString' }],
  [
    'values of other types',
    { q: { a: 1 }, status: true, verified: [true], type: ['HPD'], sort: 3, order: 1 },
  ],
  ['an empty search term', { q: '   ', order: 'up' }],
  ['control characters as a search term', { q: '\0\t\x7f\x9f' }],
])('%s in the query string are dropped', (_, search) => {
  expect(parseUserView(search, SEEDED_CATALOGUE)).toEqual({ filter: {}, order: byEmail })
})

describe('a search term', () => {
  test('is accepted as a number when made of digits', () => {
    expect(parseUserView({ q: 123 }, undefined).filter).toEqual({ q: '123' })
  })
  test('gets spaces for control characters', () => {
    expect(normalizeSearch('\0ana\t\r\nsouza\x1b')).toBe('ana souza')
  })
  test('is trimmed and truncated to the maximum length', () => {
    expect(normalizeSearch(`  ${'a'.repeat(99)} b`)).toBe('a'.repeat(99))
  })
})

test('unset filters and the default order are removed from the query string', () => {
  expect(
    new Set(Object.values({ ...serializeFilter({}), ...serializeOrder({ sort: 'email', order: 'asc' }) })),
  ).toEqual(new Set([undefined]))
})

test('a click toggles the sorted column and starts another one ascending', () => {
  const ascending = toggleOrder({ sort: 'approved', order: 'desc' }, 'email')
  expect(ascending).toEqual(byEmail)
  const descending = toggleOrder(ascending, 'email')
  expect(descending).toEqual({ sort: 'email', order: 'desc' })
  expect(toggleOrder(descending, 'email')).toEqual(byEmail)
})

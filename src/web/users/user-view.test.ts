import { describe, expect, test } from 'vitest'
import { SEEDED_CATALOGUE } from '#contract/seeded-catalogue.ts'
import { orderAfterClick, readUserView, tidySearch, writeFilter, writeOrder } from './user-view.ts'

const byEmail = { sort: 'email', order: 'asc' }

test('an address that says nothing shows everybody by e-mail', () => {
  expect(readUserView({}, undefined)).toEqual({ filter: {}, order: byEmail })
})

test('a whole address is read, and written again as it was', () => {
  const search = {
    q: 'joão',
    status: 'pending',
    verified: 'yes',
    type: 'HPD',
    marca: 'OMJA',
    estado: 'PR',
    lastAccess: 'idle',
    sort: 'last_sign_in_at',
    order: 'desc',
  }
  const { filter, order } = readUserView(search, SEEDED_CATALOGUE)
  expect(filter).toEqual({
    q: 'joão',
    approved: false,
    verified: true,
    type: 'HPD',
    marca: 'OMJA',
    estado: 'PR',
    lastAccess: 'idle',
  })
  expect(order).toEqual({ sort: 'last_sign_in_at', order: 'desc' })
  expect({ ...writeFilter(filter), ...writeOrder(order) }).toEqual(search)
})

test.each([
  [
    'words that are none',
    { status: 'APPROVED', verified: 'true', type: 'vendas', marca: 'BMW', estado: 'SP' },
  ],
  ['names of an object', { status: 'constructor', verified: '__proto__', sort: 'toString' }],
  [
    'other kinds of values',
    { q: { a: 1 }, status: true, verified: [true], type: ['HPD'], sort: 3, order: 1 },
  ],
  ['an empty search', { q: '   ', order: 'up' }],
  ['a search of control characters', { q: '\0\t\x7f\x9f' }],
])('%s in the address are left out', (_, search) => {
  expect(readUserView(search, SEEDED_CATALOGUE)).toEqual({ filter: {}, order: byEmail })
})

describe('a search', () => {
  test('of digits comes as a number', () => {
    expect(readUserView({ q: 123 }, undefined).filter).toEqual({ q: '123' })
  })
  test('has blanks where control characters were', () => {
    expect(tidySearch('\0ana\t\r\nsouza\x1b')).toBe('ana souza')
  })
  test('is trimmed and no longer than the server takes', () => {
    expect(tidySearch(`  ${'a'.repeat(99)} b`)).toBe('a'.repeat(99))
  })
})

test('what is not filtered and the default order are taken out of the address', () => {
  expect(
    new Set(Object.values({ ...writeFilter({}), ...writeOrder({ sort: 'email', order: 'asc' }) })),
  ).toEqual(new Set([undefined]))
})

test('the sorted column turns round, another one starts ascending', () => {
  const ascending = orderAfterClick({ sort: 'approved', order: 'desc' }, 'email')
  expect(ascending).toEqual(byEmail)
  const descending = orderAfterClick(ascending, 'email')
  expect(descending).toEqual({ sort: 'email', order: 'desc' })
  expect(orderAfterClick(descending, 'email')).toEqual(byEmail)
})

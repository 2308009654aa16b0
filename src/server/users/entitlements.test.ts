import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder, LISTS, type ListName } from '#contract/held-lists.ts'
import { SEEDED_CATALOGUE as CATALOGUE, ESTADOS, MARCAS, TYPES } from '#contract/seeded-catalogue.ts'
import { mergeEntitlements, pickListsToEdit } from './entitlements.ts'

const KNOWN: Record<ListName, readonly string[]> = { types: TYPES, marcas: MARCAS, estados: ESTADOS }
const OLD = ['administrativo', 'Compras', 'SEAT', '']

/** Lists as a database may hold them: in any order, repeated, with items that are no more. */
const held = fc.record({
  types: fc.array(fc.constantFrom(...TYPES, ...OLD)),
  marcas: fc.array(fc.constantFrom(...MARCAS, ...OLD)),
  estados: fc.array(fc.constantFrom(...ESTADOS, ...OLD)),
})
const named = fc
  .record(
    {
      types: fc.array(fc.constantFrom(...TYPES)),
      marcas: fc.array(fc.constantFrom(...MARCAS)),
      estados: fc.array(fc.constantFrom(...ESTADOS)),
    },
    { requiredKeys: [] },
  )
  .map((edit) => pickListsToEdit(edit))

/** What the list means: each item once, 'administrativo' as the type that it is. */
const setOf = (name: ListName, items: readonly string[]) =>
  new Set(items.map((item) => (name === 'types' && item === 'administrativo' ? 'Administrativo' : item)))

test('adding is set union, removing set difference, for any lists', () => {
  fc.assert(
    fc.property(held, named, fc.constantFrom('add', 'remove'), (lists, items, action) => {
      const merged = mergeEntitlements(CATALOGUE, lists, action, items)
      const after = { ...lists, ...merged }
      let isChanged = false
      for (const name of LISTS) {
        const before = setOf(name, lists[name])
        const wanted = new Set<string>(items[name])
        const expected =
          action === 'add'
            ? new Set([...before, ...wanted])
            : new Set([...before].filter((item) => !wanted.has(item)))
        expect(setOf(name, after[name])).toEqual(expected)
        isChanged ||= expected.size !== before.size
        if (!items[name]) expect(merged ?? {}).not.toHaveProperty(name)
      }
      expect(merged !== undefined).toBe(isChanged)
    }),
  )
})

test('what is changed stands in the order of the catalogue, each item once, unknown ones last', () => {
  fc.assert(
    fc.property(held, named, fc.constantFrom('add', 'remove'), (lists, items, action) => {
      const merged = mergeEntitlements(CATALOGUE, lists, action, items) ?? {}
      for (const name of LISTS) {
        const result = merged[name]
        if (!result || result === lists[name]) continue
        expect(new Set(result).size).toBe(result.length)
        const known = result.filter((item) => KNOWN[name].includes(item))
        expect(result.slice(0, known.length)).toEqual(KNOWN[name].filter((item) => known.includes(item)))
      }
    }),
  )
})

test('doing it twice is doing it once, and removing what was added to nobody gives the same back', () => {
  fc.assert(
    fc.property(held, named, fc.constantFrom('add', 'remove'), (lists, items, action) => {
      const once = { ...lists, ...mergeEntitlements(CATALOGUE, lists, action, items) }
      expect(mergeEntitlements(CATALOGUE, once, action, items)).toBeUndefined()
    }),
  )
})

test('lists are put in order', () => {
  expect(inOrder(CATALOGUE, 'marcas', ['VW', 'SEAT', 'FIAT', 'VW'])).toEqual(['FIAT', 'VW', 'SEAT'])
  expect(inOrder(CATALOGUE, 'estados', ['PR', 'SP', 'RJ'])).toEqual(['RJ', 'PR', 'SP'])
  expect(inOrder(CATALOGUE, 'types', ['Compras', 'administrativo', 'Vendas'])).toEqual([
    'Vendas',
    'Administrativo',
    'Compras',
  ])
})

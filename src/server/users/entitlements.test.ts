import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LISTS, type ListName, sortItems } from '#contract/entitlement-lists.ts'
import { SEEDED_CATALOGUE as CATALOGUE, ESTADOS, MARCAS, TYPES } from '#contract/seeded-catalogue.ts'
import { mergeEntitlements, pickListsToEdit } from './entitlements.ts'

const KNOWN: Record<ListName, readonly string[]> = { types: TYPES, marcas: MARCAS, estados: ESTADOS }
const OLD = ['administrativo', 'Compras', 'SEAT', '']

/** Lists as stored: in any order, with duplicates and deleted items. */
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

/** Converts to a set, with 'administrativo' under its current spelling. */
const toSet = (name: ListName, items: readonly string[]) =>
  new Set(items.map((item) => (name === 'types' && item === 'administrativo' ? 'Administrativo' : item)))

test('adding is set union, removing is set difference', () => {
  fc.assert(
    fc.property(held, named, fc.constantFrom('add', 'remove'), (lists, items, action) => {
      const merged = mergeEntitlements(CATALOGUE, lists, action, items)
      const after = { ...lists, ...merged }
      let isChanged = false
      for (const name of LISTS) {
        const before = toSet(name, lists[name])
        const wanted = new Set<string>(items[name])
        const expected =
          action === 'add'
            ? new Set([...before, ...wanted])
            : new Set([...before].filter((item) => !wanted.has(item)))
        expect(toSet(name, after[name])).toEqual(expected)
        isChanged ||= expected.size !== before.size
        if (!items[name]) expect(merged ?? {}).not.toHaveProperty(name)
      }
      expect(merged !== undefined).toBe(isChanged)
    }),
  )
})

test('changed lists are in catalogue order, deduplicated, unknown items last', () => {
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

test('edits are idempotent', () => {
  fc.assert(
    fc.property(held, named, fc.constantFrom('add', 'remove'), (lists, items, action) => {
      const once = { ...lists, ...mergeEntitlements(CATALOGUE, lists, action, items) }
      expect(mergeEntitlements(CATALOGUE, once, action, items)).toBeUndefined()
    }),
  )
})

test('lists are sorted by the catalogue, unknown items last', () => {
  expect(sortItems(CATALOGUE, 'marcas', ['VW', 'SEAT', 'FIAT', 'VW'])).toEqual(['FIAT', 'VW', 'SEAT'])
  expect(sortItems(CATALOGUE, 'estados', ['PR', 'SP', 'RJ'])).toEqual(['RJ', 'PR', 'SP'])
  expect(sortItems(CATALOGUE, 'types', ['Compras', 'administrativo', 'Vendas'])).toEqual([
    'Vendas',
    'Administrativo',
    'Compras',
  ])
})

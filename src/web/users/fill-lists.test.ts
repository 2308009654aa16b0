import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, LISTS, type ListName, toKey } from '#contract/entitlement-lists.ts'
import { SEEDED_CATALOGUE } from '#contract/seeded-catalogue.ts'
import { fillLists, formatTemplate } from './fill-lists.ts'

const getCodes = (list: ListName) => [...SEEDED_CATALOGUE[list].map((item) => toKey(list, item)), 'ANTIGO']
const createEntitlements = (give: (list: ListName) => fc.Arbitrary<string[]>): fc.Arbitrary<Entitlements> =>
  fc.record({ types: give('types'), marcas: give('marcas'), estados: give('estados') })
const some = createEntitlements((list) => fc.shuffledSubarray(getCodes(list)))
const archivedOnes = createEntitlements((list) => fc.subarray(getCodes(list)))
const shown = fc.constantFrom<readonly ListName[]>(LISTS, ['types'], ['marcas', 'estados'])

const EMPTY: Entitlements = { types: [], marcas: [], estados: [] }

const archiveItems = (archived: Entitlements): Catalogue => {
  const mark = (list: ListName) =>
    SEEDED_CATALOGUE[list].map((item) => ({ ...item, archived: archived[list].includes(toKey(list, item)) }))
  return { version: 1, types: mark('types'), marcas: mark('marcas'), estados: mark('estados') }
}

/** Steps of a user: add a template, tick or clear a checkbox. */
const steps = fc.array(
  fc.oneof(
    some.map((template) => ({ template })),
    fc
      .constantFrom(...LISTS)
      .chain((list) =>
        fc.record({ list: fc.constant(list), value: fc.constantFrom(...getCodes(list)), isOn: fc.boolean() }),
      ),
  ),
  { maxLength: 6 },
)

test('templates and edits in any order keep ticked items, grant nothing archived and leave other lists alone', () => {
  fc.assert(
    fc.property(some, archivedOnes, shown, steps, (person, archived, lists, done) => {
      const catalogue = archiveItems(archived)
      const held = fillLists(catalogue, { lists: LISTS, held: undefined }, EMPTY, person, 'add').ticked
      const canHave = (list: ListName, value: string) =>
        value !== 'ANTIGO' && (held[list].includes(value) || !archived[list].includes(value))
      let ticked = held
      const expected = (list: ListName) => new Set(ticked[list])
      for (const step of done) {
        const before = ticked
        if ('template' in step) {
          const filled = fillLists(catalogue, { lists, held }, ticked, step.template, 'add')
          ticked = filled.ticked
          for (const list of LISTS) {
            const given = lists.includes(list) ? step.template[list].filter((v) => canHave(list, v)) : []
            expect(expected(list)).toEqual(new Set([...before[list], ...given]))
            const order = getCodes(list).filter((value) => ticked[list].includes(value))
            expect(ticked[list], 'in the order of the catalogue, each once').toEqual(order)
          }
          const leftOut = lists.flatMap((list) =>
            step.template[list].filter((value) => value !== 'ANTIGO' && !canHave(list, value)),
          )
          expect(filled.archived.toSorted()).toEqual(leftOut.toSorted())
          expect(fillLists(catalogue, { lists, held }, ticked, step.template, 'add').ticked).toEqual(ticked)
        } else if (canHave(step.list, step.value)) {
          const rest = ticked[step.list].filter((value) => value !== step.value)
          const items = getCodes(step.list).filter(
            (value) => rest.includes(value) || (step.isOn && value === step.value),
          )
          ticked = { ...ticked, [step.list]: items }
        }
      }
    }),
  )
})

test('two templates commute; a colleague replaces the lists with what can be granted', () => {
  fc.assert(
    fc.property(some, some, some, archivedOnes, (ticked, one, other, archived) => {
      const catalogue = archiveItems(archived)
      const filling = { lists: LISTS, held: EMPTY }
      const add = (to: Entitlements, template: Entitlements) =>
        fillLists(catalogue, filling, to, template, 'add').ticked
      expect(add(add(EMPTY, one), other)).toEqual(add(add(EMPTY, other), one))
      expect(fillLists(catalogue, filling, ticked, one, 'replace').ticked).toEqual(add(EMPTY, one))
      const part = fillLists(catalogue, filling, ticked, { types: one.types }, 'replace').ticked
      expect(part).toMatchObject({ marcas: ticked.marcas, estados: ticked.estados })
    }),
  )
})

test('a template is formatted in one line, with archived items marked', () => {
  const catalogue = archiveItems({ ...EMPTY, marcas: ['GM'] })
  const template = { types: ['Vendas', 'CRM'], marcas: ['FIAT', 'GM'], estados: ['RJ'] }
  expect(formatTemplate(catalogue, template)).toBe('Vendas, CRM · FIAT, GM (no arquivo) · RJ')
})

import { expect, test } from 'vitest'
import { ESTADOS, MARCAS, SEEDED_CATALOGUE, TYPES } from '#contract/seeded-catalogue.ts'
import { describeList, describeScope } from './user-columns.tsx'

const toText = (types: string[], marcas: string[], estados: string[], catalogue = SEEDED_CATALOGUE) =>
  describeScope(catalogue, { types, marcas, estados }).join(' · ')

test('full and empty lists are said in words', () => {
  expect(toText(TYPES, MARCAS, ESTADOS)).toBe('Todas as áreas, marcas e estados')
  expect(toText(['Vendas'], MARCAS, ESTADOS)).toBe('Vendas · todas as marcas · todos os estados')
  expect(toText(TYPES, ['FIAT'], ['RJ'])).toBe('todas as áreas · FIAT · RJ')
  expect(toText([], [], [])).toBe('Nenhum acesso')
})

test('an empty list is named in its place', () => {
  expect(toText(['Vendas'], [], [])).toBe('Vendas · sem marcas · sem estados')
  expect(toText([], ['FIAT'], ['RJ'])).toBe('sem áreas · FIAT · RJ')
})

test('partial lists are spelled out, areas in the order of the tabs', () => {
  expect(toText(['CRM', 'administrativo', 'Vendas'], ['FIAT', 'VW'], ['RJ'])).toBe(
    'Vendas, CRM e Administrativo · FIAT e VW · RJ',
  )
})

test('a list with an unknown value is not “all”, whatever its length', () => {
  expect(describeList(SEEDED_CATALOGUE, 'estados', ['RJ', 'ES', 'MG', 'SP'])).toBe('RJ, ES, MG e SP')
  expect(describeList(SEEDED_CATALOGUE, 'estados', [])).toBe('Nenhum')
})

test('archived items are not needed for “all”, and may be held', () => {
  const estados = SEEDED_CATALOGUE.estados.map((item) => ({ ...item, archived: item.code === 'PR' }))
  const catalogue = { ...SEEDED_CATALOGUE, estados }
  expect(describeList(catalogue, 'estados', ['RJ', 'ES', 'MG'])).toBe('Todos')
  expect(describeList(catalogue, 'estados', ESTADOS)).toBe('Todos')
})

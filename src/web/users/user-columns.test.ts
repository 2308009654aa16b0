import { expect, test } from 'vitest'
import { ESTADOS, MARCAS, SEEDED_CATALOGUE, TYPES } from '#contract/seeded-catalogue.ts'
import { summarizeScope } from './user-columns.tsx'

const summarize = (types: string[], marcas: string[], estados: string[], catalogue = SEEDED_CATALOGUE) =>
  summarizeScope(catalogue, { types, marcas, estados }).map(({ label, text }) => `${label}: ${text}`)

test('full and empty lists are one word each', () => {
  expect(summarize(TYPES, MARCAS, ESTADOS)).toEqual(['Tipos: Todos', 'Marcas: Todas', 'Estados: Todos'])
  expect(summarize([], [], [])).toEqual(['Acesso: Nenhum'])
})

test('empty lists are joined in one part after the others', () => {
  expect(summarize(['Vendas'], [], [])).toEqual(['Tipos: Vendas', 'Marcas e estados: Nenhum'])
  expect(summarize([], ['FIAT'], ['RJ'])).toEqual(['Marcas: FIAT', 'Estados: RJ', 'Tipos: Nenhum'])
  expect(summarize(['Vendas'], [], ['RJ'])).toEqual(['Tipos: Vendas', 'Estados: RJ', 'Marcas: Nenhuma'])
})

test('partial lists are spelled out, areas in the order of the tabs', () => {
  expect(summarize(['CRM', 'administrativo', 'Vendas'], ['FIAT', 'VW'], ['RJ'])).toEqual([
    'Tipos: Vendas, CRM, Administrativo',
    'Marcas: FIAT, VW',
    'Estados: RJ',
  ])
})

test('a list with an unknown value is not “all”, whatever its length', () => {
  expect(summarize([], [], ['RJ', 'ES', 'MG', 'SP'])).toContain('Estados: RJ, ES, MG, SP')
})

test('archived items are not needed for “all”, and may be held', () => {
  const estados = SEEDED_CATALOGUE.estados.map((item) => ({ ...item, archived: item.code === 'PR' }))
  const catalogue = { ...SEEDED_CATALOGUE, estados }
  expect(summarize([], [], ['RJ', 'ES', 'MG'], catalogue)).toContain('Estados: Todos')
  expect(summarize([], [], ESTADOS, catalogue)).toContain('Estados: Todos')
})

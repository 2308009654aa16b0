import { expect, test } from 'vitest'
import { ESTADOS, MARCAS, TYPES } from '#contract/seeded-catalogue.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { summariseScope } from './user-columns.tsx'

const summaryOf = (types: readonly string[], marcas: readonly string[], estados: readonly string[]) =>
  summariseScope({ types, marcas, estados } as ManagedProfile).map(({ label, text }) => `${label}: ${text}`)

test('everything and nothing are one word each', () => {
  expect(summaryOf(TYPES, MARCAS, ESTADOS)).toEqual(['Tipos: Todos', 'Marcas: Todas', 'Estados: Todos'])
  expect(summaryOf([], [], [])).toEqual(['Tipos: Nenhum', 'Marcas: Nenhuma', 'Estados: Nenhum'])
})

test('some are named, areas in the order of the tabs', () => {
  expect(summaryOf(['CRM', 'administrativo', 'Vendas'], ['FIAT', 'VW'], ['RJ'])).toEqual([
    'Tipos: Vendas, CRM, Administrativo',
    'Marcas: FIAT, VW',
    'Estados: RJ',
  ])
})

test('as many as there are, one of them unknown, are not everything', () => {
  expect(summaryOf([], [], ['RJ', 'ES', 'MG', 'SP'])[2]).toBe('Estados: RJ, ES, MG, SP')
})

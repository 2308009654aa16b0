import { describe, expect, it } from 'vitest'
import { ESTADOS, MARCAS, TYPES } from '#contract/seeded-catalogue.ts'
import { MONTHS } from './data-set.ts'
import { AREA_MODELS, type AreaModel, findAreaModel } from './data-set-areas.ts'
import { listFacts, type Scope, sumScope } from './data-set-sums.ts'

const EVERYTHING: Scope = { marcas: MARCAS, estados: ESTADOS }
const vendas = findAreaModel('Vendas') as AreaModel

describe('data set', () => {
  it('has a model for every area with a report', () => {
    const areas = TYPES.filter((type) => type !== 'Administrativo' && type !== 'Slack')
    expect(AREA_MODELS.map(({ area }) => area)).toEqual(areas)
  })

  it('covers 24 consecutive months', () => {
    expect(MONTHS).toHaveLength(24)
    expect([MONTHS[0], MONTHS[1], MONTHS[2], MONTHS[23]]).toEqual([
      '2024-11',
      '2024-12',
      '2025-01',
      '2026-10',
    ])
  })

  it('is deterministic', () => {
    const scope = { marcas: ['FIAT', 'JEEP'], estados: ['RJ'] } as const
    const figures = sumScope(vendas, scope).cards.map(({ formatted }) => formatted)
    expect(figures).toEqual(['1.250', 'R$\u00a0149,74\u00a0mi', 'R$\u00a0119.794', '7,6%', '38,9%'])
  })

  it.each(AREA_MODELS)('has figures for every brand and state in $area', (model) => {
    for (const marca of [...MARCAS, 'BYD']) {
      for (const estado of [...ESTADOS, 'SP']) {
        const { cards } = sumScope(model, { marcas: [marca], estados: [estado] })
        expect(cards.every(({ value }) => value !== null && value > 0)).toBe(true)
      }
    }
  })

  it.each(AREA_MODELS)('adds up in $area: disjoint scopes sum to the total', (model) => {
    const whole = sumScope(model, EVERYTHING)
    const parts = MARCAS.flatMap((marca) => ESTADOS.map((estado) => ({ marcas: [marca], estados: [estado] })))
    const figures = parts.map((scope) => sumScope(model, scope))
    for (const [index, card] of whole.cards.entries()) {
      if (model.metrics[index]?.per) continue
      expect(figures.reduce((sum, { cards }) => sum + (cards[index]?.value ?? 0), 0)).toBe(card.value)
    }
    const total = whole.cards.find(({ id }) => id === model.main)?.value
    expect(whole.byMarca.reduce((sum, { value }) => sum + (value ?? 0), 0)).toBe(total)
    expect(whole.byMonth.reduce((sum, { value }) => sum + (value ?? 0), 0)).toBe(total)
  })

  it('computes averages from sums, not from averages', () => {
    const facts = listFacts(vendas, { marcas: ['FIAT', 'GAC'], estados: ESTADOS })
    const sum = (name: string) => facts.reduce((total, { sums }) => total + (sums[name] ?? 0), 0)
    const { cards } = sumScope(vendas, { marcas: ['FIAT', 'GAC'], estados: ESTADOS })
    expect(cards.find(({ id }) => id === 'ticketMedio')?.value).toBe(sum('faturamento') / sum('unidades'))
  })

  it('is empty without a brand, with a dash for averages', () => {
    const { cards, byMarca, table } = sumScope(vendas, { marcas: [], estados: ESTADOS })
    expect(cards.map(({ formatted }) => formatted)).toEqual(['0', 'R$\u00a00', '–', '–', '–'])
    expect(byMarca).toEqual([])
    expect(table.rows.map(([head]) => head)).toEqual(['Total'])
  })
})

import { describe, expect, it } from 'vitest'
import { SEEDED_CATALOGUE as CATALOGUE } from '#contract/seeded-catalogue.ts'
import { profileOf } from '#web/testing/browser-parts.ts'
import { entitlementsOf } from './entitlements.tsx'

describe('entitlementsOf', () => {
  it('keeps known values in catalogue order, including a lowercase administrativo', () => {
    const has = profileOf({
      types: ['administrativo', 'Slack', 'Antigo', 'Vendas'],
      marcas: ['VW', 'FIAT', 'LADA'],
    })
    expect(entitlementsOf(CATALOGUE, has)).toEqual({
      types: ['Vendas', 'Administrativo', 'Slack'],
      marcas: ['FIAT', 'VW'],
      estados: [],
    })
  })
})

import { describe, expect, it } from 'vitest'
import { SEEDED_CATALOGUE as CATALOGUE } from '#contract/seeded-catalogue.ts'
import { createProfile } from '#web/testing/browser-parts.ts'
import { toEntitlements } from './entitlements.tsx'

describe('toEntitlements', () => {
  it('keeps known values in catalogue order, including a lowercase administrativo', () => {
    const has = createProfile({
      types: ['administrativo', 'Slack', 'Antigo', 'Vendas'],
      marcas: ['VW', 'FIAT', 'LADA'],
    })
    expect(toEntitlements(CATALOGUE, has)).toEqual({
      types: ['Vendas', 'Administrativo', 'Slack'],
      marcas: ['FIAT', 'VW'],
      estados: [],
    })
  })
})

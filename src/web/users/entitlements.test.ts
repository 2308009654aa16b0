import { describe, expect, it } from 'vitest'
import { profileOf } from '#web/testing/browser-parts.ts'
import { entitlementsOf } from './entitlements.tsx'

describe('entitlementsOf', () => {
  it('takes what can be ticked, in the fixed order, a lowercase administrativo included', () => {
    const has = profileOf({
      types: ['administrativo', 'Slack', 'Antigo', 'Vendas'],
      marcas: ['VW', 'FIAT', 'LADA'],
    })
    expect(entitlementsOf(has)).toEqual({
      types: ['Vendas', 'Administrativo', 'Slack'],
      marcas: ['FIAT', 'VW'],
      estados: [],
    })
  })
})

import { describe, expect, it } from 'vitest'
import { profileOf } from '#web/testing/browser-parts.ts'
import { entitlementsOf, stepsToApprove } from './entitlements.tsx'
import { namesOfStep } from './use-profile-edit.ts'

describe('the steps of an approval', () => {
  it('are types, scope and then the approval, each only when it differs', () => {
    const has = profileOf({ types: ['CRM'], marcas: ['FIAT'], estados: ['RJ'] })
    const same = entitlementsOf(has)
    expect(stepsToApprove(has, same)).toEqual([{ approved: true }])
    expect(stepsToApprove(has, { ...same, types: ['Vendas', 'CRM'], estados: [] })).toEqual([
      { types: ['Vendas', 'CRM'] },
      { marcas: ['FIAT'], estados: [] },
      { approved: true },
    ])
    expect(stepsToApprove(profileOf({ approved: true }), entitlementsOf(profileOf()))).toEqual([])
  })

  it('are named in the order in which they are saved', () => {
    expect([{ types: [] }, { marcas: [], estados: [] }, { approved: true }].flatMap(namesOfStep)).toEqual([
      'tipos',
      'marcas',
      'estados',
      'aprovação',
    ])
  })
})

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

import { describe, expect, it } from 'vitest'
import type { ManagedProfile } from '#contract/users.ts'
import { entitlementsOf, namesOfStep, stepsToApprove, withSteps } from './entitlements.tsx'

const person = (rest: Partial<ManagedProfile> = {}): ManagedProfile => ({
  id: 'i',
  user_id: 'u',
  email: 'ana@grupopatio.com.br',
  full_name: null,
  approved: false,
  email_verified_at: null,
  created_at: '2026-01-01T00:00:00Z',
  last_sign_in_at: null,
  types: [],
  marcas: [],
  estados: [],
  role: 'user',
  version: 1,
  ...rest,
})

describe('the steps of an approval', () => {
  it('are types, scope and then the approval, each only when it differs', () => {
    const has = person({ types: ['CRM'], marcas: ['FIAT'], estados: ['RJ'] })
    const same = entitlementsOf(has)
    expect(stepsToApprove(has, same)).toEqual([{ approved: true }])
    expect(stepsToApprove(has, { ...same, types: ['Vendas', 'CRM'], estados: [] })).toEqual([
      { types: ['Vendas', 'CRM'] },
      { marcas: ['FIAT'], estados: [] },
      { approved: true },
    ])
    expect(stepsToApprove(person({ approved: true }), entitlementsOf(person()))).toEqual([])
  })

  it('are named in the order in which they are saved', () => {
    expect([{ types: [] }, { marcas: [], estados: [] }, { approved: true }].flatMap(namesOfStep)).toEqual([
      'tipos',
      'marcas',
      'estados',
      'aprovação',
    ])
  })

  it('show in the person ahead of the reply', () => {
    const before = person({ types: ['CRM'] })
    expect(withSteps(before, [{ types: [] }, { approved: true }])).toEqual({
      ...before,
      types: [],
      approved: true,
    })
    expect(before.types).toEqual(['CRM'])
  })
})

describe('entitlementsOf', () => {
  it('takes what can be ticked, in the fixed order, a lowercase administrativo included', () => {
    const has = person({
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

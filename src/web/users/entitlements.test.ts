import { describe, expect, it } from 'vitest'
import { SEEDED_CATALOGUE as CATALOGUE } from '#contract/seeded-catalogue.ts'
import { createProfile } from '#web/testing/browser-parts.ts'
import { joinChanges, toEntitlements } from './entitlements.tsx'

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

describe('joinChanges', () => {
  const base = { types: ['CRM', 'Vendas'], marcas: ['VW'], estados: ['RJ'] }
  const join = (mine: object, theirs: object) =>
    joinChanges(CATALOGUE, base, [
      { ...base, ...mine },
      { ...base, ...theirs },
    ])

  it('keeps what both added and takes what either removed, in catalogue order', () => {
    const [mine, theirs] = [
      { types: ['CRM', 'Slack'] },
      { types: ['CRM', 'Vendas', 'HPD'], marcas: ['VW', 'GM'] },
    ]
    expect(join(mine, theirs)).toEqual({
      types: ['HPD', 'CRM', 'Slack'],
      marcas: ['GM', 'VW'],
      estados: ['RJ'],
    })
    expect(join(theirs, mine)).toEqual(join(mine, theirs))
  })

  it.each([
    ['the same item', { types: ['CRM'] }, { types: ['CRM', 'HPD'] }],
    ['one change alone', {}, { types: ['CRM'] }],
    ['changes that leave nothing of a list', { types: ['CRM'] }, { types: ['Vendas'] }],
  ])('does not join %s', (_, mine, theirs) => {
    expect(join(mine, theirs)).toBeUndefined()
  })
})

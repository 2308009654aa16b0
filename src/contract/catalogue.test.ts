import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inOrder, slugOfType, TYPES, typeOfSlug } from './catalogue.ts'

describe('the order of report areas', () => {
  const IN_ORDER = [
    'Vendas',
    'Oficina',
    'HPD',
    'CRM',
    'Marketing',
    'Gerentes',
    'Operadores',
    'Administrativo',
    'Slack',
  ]

  test('is the fixed one, whatever the profile’s', () => {
    expect(inOrder('types', [...IN_ORDER].reverse())).toEqual(IN_ORDER)
    fc.assert(
      fc.property(fc.shuffledSubarray(IN_ORDER), (types) => {
        expect(inOrder('types', types)).toEqual(IN_ORDER.filter((type) => types.includes(type)))
      }),
    )
  })

  test('puts unknown types last, in the order given', () => {
    expect(inOrder('types', ['Zeta', 'Slack', 'Alfa', 'Vendas'])).toEqual(['Vendas', 'Slack', 'Zeta', 'Alfa'])
  })

  test('takes a lowercase administrativo for Administrativo, and nothing else for anything', () => {
    expect(inOrder('types', ['Slack', 'administrativo'])).toEqual(['Administrativo', 'Slack'])
    expect(inOrder('types', ['vendas', 'Slack'])).toEqual(['Slack', 'vendas'])
  })

  test('drops repeated types and leaves its input alone', () => {
    const given = Object.freeze(['Slack', 'Vendas', 'Slack', 'administrativo', 'Administrativo'])
    expect(inOrder('types', given)).toEqual(['Vendas', 'Administrativo', 'Slack'])
    expect(inOrder('types', [])).toEqual([])
  })
})

describe('slugs', () => {
  test('lead to their type and back', () => {
    for (const type of TYPES) expect(typeOfSlug(slugOfType(type))).toBe(type)
    expect(TYPES.map(slugOfType)).toContain('hpd')
  })

  test('that are unknown lead nowhere', () => {
    for (const slug of ['', 'financeiro', 'vendas ', '__proto__', 'constructor'])
      expect(typeOfSlug(slug)).toBeUndefined()
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalogueRoutes, estadoSchema, toSlug, typeSchema } from './catalogue.ts'
import { foldText, sortItems } from './entitlement-lists.ts'
import { SEEDED_CATALOGUE } from './seeded-catalogue.ts'

describe('sortItems for types', () => {
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

  test('uses the catalogue’s order, not the profile’s', () => {
    expect(sortItems(SEEDED_CATALOGUE, 'types', [...IN_ORDER].reverse())).toEqual(IN_ORDER)
    fc.assert(
      fc.property(fc.shuffledSubarray(IN_ORDER), (types) => {
        expect(sortItems(SEEDED_CATALOGUE, 'types', types)).toEqual(
          IN_ORDER.filter((type) => types.includes(type)),
        )
      }),
    )
  })

  test('puts unknown types last, in the given order', () => {
    expect(sortItems(SEEDED_CATALOGUE, 'types', ['Zeta', 'Slack', 'Alfa', 'Vendas'])).toEqual([
      'Vendas',
      'Slack',
      'Zeta',
      'Alfa',
    ])
  })

  test('maps only lowercase administrativo, to Administrativo', () => {
    expect(sortItems(SEEDED_CATALOGUE, 'types', ['Slack', 'administrativo'])).toEqual([
      'Administrativo',
      'Slack',
    ])
    expect(sortItems(SEEDED_CATALOGUE, 'types', ['vendas', 'Slack'])).toEqual(['Slack', 'vendas'])
  })

  test('removes duplicates and does not modify its input', () => {
    const given = Object.freeze(['Slack', 'Vendas', 'Slack', 'administrativo', 'Administrativo'])
    expect(sortItems(SEEDED_CATALOGUE, 'types', given)).toEqual(['Vendas', 'Administrativo', 'Slack'])
    expect(sortItems(SEEDED_CATALOGUE, 'types', [])).toEqual([])
  })
})

describe('the label of an area', () => {
  test.each([
    ['Pós-venda & Peças', 'pos-venda-pecas'],
    ['  HPD 2.0 ', 'hpd-2-0'],
    ['São João', 'sao-joao'],
    ['日本', ''],
  ])('%s gets the slug %s', (label, slug) => {
    expect(toSlug(label)).toBe(slug)
  })

  test.each(['', ' Vendas', 'Vendas ', 'a\nb', 'a\u202eb', 'a\u0000', 'x'.repeat(41)])(
    'rejects %j',
    (label) => {
      expect(typeSchema.safeParse(label).success).toBe(false)
    },
  )

  test('may have accents, marks and up to 40 letters', () => {
    for (const label of ['A', 'Peças & Acessórios (RJ)', 'ç'.repeat(40)])
      expect(typeSchema.safeParse(label).success).toBe(true)
  })
})

describe('a new label', () => {
  const bodies = [catalogueRoutes.addCatalogueItem.body, catalogueRoutes.changeCatalogueItem.body]
  const isAccepted = (label: string) => bodies.map((body) => body.safeParse({ label }).success)

  test.each(['Vеndas', 'Μarketing', 'CRМ', 'Vendas Москва', 'Ve\u0323\u0301\u0300ndas', 'x\u0336\u0336'])(
    'rejects mixed scripts and piled accents: %s',
    (label) => {
      expect(isAccepted(label)).toEqual([false, false])
    },
  )

  test.each(['Pós-venda', 'Pós-venda'.normalize('NFD'), 'Tiến', 'Москва', 'Αθήνα 2', '日本 SP'])(
    'accepts %s',
    (label) => {
      expect(isAccepted(label)).toEqual([true, true])
    },
  )

  test('is checked only when it is written: stored ones stay valid in lists', () => {
    expect(typeSchema.safeParse('Vеndas').success).toBe(true)
  })
})

test('codes contain no character that breaks out of an identity', () => {
  for (const code of ['', 'sp', 'S P', 'RJ|M:FIAT', 'U:RJ', 'ÇA', 'X'.repeat(21), 'RJ\n'])
    expect(estadoSchema.safeParse(code).success, code).toBe(false)
  for (const code of ['SP', 'GM-2', 'A_B', 'X'.repeat(20)])
    expect(estadoSchema.safeParse(code).success).toBe(true)
})

test('a search takes apostrophes and dashes as one, however they are written', () => {
  for (const text of ['D\u2019\u00c1vila\u2013Reis', 'd\u02bcavila\u2010reis', 'D`\u00c1VILA-REIS'])
    expect(foldText(text)).toBe("d'avila-reis")
})

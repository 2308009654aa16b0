import { expect, it } from 'vitest'
import { describeEffect, describeEffects, diffEntitlements } from './describe-effect.ts'

const NONE = {
  selected: 0,
  gaining: 0,
  losing: 0,
  unchanged: 0,
  effects: [],
  ending: 0,
  includesSelf: false,
  fingerprint: '',
  undoId: null,
  undoSeconds: 0,
}
const gain = (item: string, gaining: number) => ({ list: 'types' as const, item, gaining, losing: 0 })
const lose = (item: string, losing: number) => ({ list: 'marcas' as const, item, gaining: 0, losing })

it('says what one person gains and loses', () => {
  const before = { types: ['CRM'], marcas: ['VW'], estados: [] }
  const after = { types: ['CRM', 'HPD'], marcas: [], estados: ['RJ'] }
  expect(describeEffect(diffEntitlements(before, after), '2026-12-31')).toBe(
    'Ganha HPD e RJ. Perde VW. Passa a valer até 31/12/2026.',
  )
  expect(describeEffect(diffEntitlements(before, before), undefined)).toBe('Nada muda.')
  expect(describeEffect([], '')).toBe('Passa a não ter prazo.')
})

it.each([
  [{ effects: [gain('CRM', 3)] }, 'CRM passa a aparecer para 3 pessoas.', 'CRM liberado para 3 pessoas.'],
  [
    { effects: [gain('CRM', 2), gain('HPD', 2), gain('RJ', 1)], unchanged: 1 },
    'CRM e HPD passam a aparecer para 2 pessoas. RJ passa a aparecer para 1 pessoa. 1 fica como está.',
    'CRM e HPD liberados para 2 pessoas. RJ liberado para 1 pessoa. 1 já estava assim.',
  ],
  [
    { effects: [lose('VW', 1200)], losing: 1200 },
    'VW deixa de aparecer para 1.200 pessoas.',
    'VW retirado de 1.200 pessoas.',
  ],
  [
    { ending: 4, losing: 1, unchanged: 2 },
    'O acesso de 4 pessoas passa a valer até 31/12/2026, mais cedo do que antes para 1 pessoa. 2 ficam como estão.',
    'O acesso de 4 pessoas passa a valer até 31/12/2026, mais cedo do que antes para 1 pessoa. 2 já estavam assim.',
  ],
])('says whom a change of many people concerns: %j', (result, before, after) => {
  expect(describeEffects({ ...NONE, ...result }, '2026-12-31')).toBe(before)
  expect(describeEffects({ ...NONE, ...result }, '2026-12-31', true)).toBe(after)
})

it('says that an end is taken away', () => {
  expect(describeEffects({ ...NONE, ending: 1 }, null)).toBe('O acesso de 1 pessoa passa a não ter prazo.')
})

import { expect, it } from 'vitest'
import { bulkEditOf, describePreview } from './bulk-edit.ts'
import { NO_ENTITLEMENTS } from './profile-steps.ts'

it('names those selected, and only the lists in which something is ticked', () => {
  const some = { kind: 'some', userIds: ['a', 'b'], profiles: new Map() } as const
  expect(bulkEditOf({ ...some, userIds: ['a', 'b'] }, 'add', { ...NO_ENTITLEMENTS, marcas: ['GM'] })).toEqual(
    {
      userIds: ['a', 'b'],
      action: 'add',
      marcas: ['GM'],
    },
  )
  const all = { kind: 'allMatching', filter: { q: 'ana' }, except: ['c'], count: 9 } as const
  const ticked = { types: ['CRM' as const], marcas: [], estados: ['RJ' as const] }
  expect(bulkEditOf({ ...all, except: ['c'] }, 'remove', ticked)).toEqual({
    allMatching: { filter: { q: 'ana' }, except: ['c'], count: 9 },
    action: 'remove',
    types: ['CRM'],
    estados: ['RJ'],
  })
})

it('says what a dry run has counted', () => {
  const counted = { selected: 0, undoId: null }
  expect(describePreview({ ...counted, gaining: 12, losing: 0, unchanged: 3 })).toBe(
    '12 ganham, 0 perdem, 3 ficam como estão',
  )
  expect(describePreview({ ...counted, gaining: 1, losing: 1, unchanged: 1 })).toBe(
    '1 ganha, 1 perde, 1 fica como está',
  )
  expect(describePreview({ ...counted, gaining: 0, losing: 98_765, unchanged: 0 })).toBe(
    '0 ganham, 98.765 perdem, 0 ficam como estão',
  )
})

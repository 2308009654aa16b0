import { expect, it } from 'vitest'
import { NO_ENTITLEMENTS } from '#contract/held-lists.ts'
import type { Problem } from '#contract/problem.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { ApiError } from '#web/http/send-request.ts'
import { asPreviewed, bulkEditOf, describeGone, describePreview, goneFrom } from './bulk-edit.ts'

it('names those selected, and only the lists in which something is ticked', () => {
  const profiles = new Map(['a', 'b'].map((id) => [id, {} as ManagedProfile]))
  expect(bulkEditOf({ kind: 'some', profiles }, 'add', { ...NO_ENTITLEMENTS, marcas: ['GM'] })).toEqual({
    userIds: ['a', 'b'],
    action: 'add',
    marcas: ['GM'],
  })
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
  const counted = { selected: 0, fingerprint: '', undoId: null }
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

it('saves for the people of the dry run alone', () => {
  const told = { selected: 8, gaining: 8, losing: 0, unchanged: 0, fingerprint: 'x1', undoId: null }
  const allMatching = { filter: { q: 'ana' }, except: ['c'], count: 9 }
  expect(asPreviewed({ allMatching, action: 'add', types: ['CRM'] }, told)).toEqual({
    allMatching: { ...allMatching, fingerprint: 'x1' },
    action: 'add',
    types: ['CRM'],
  })
  const named = { userIds: ['a'], action: 'add' as const }
  expect(asPreviewed(named, told)).toEqual(named)
})

it('finds whom a conflict says to be gone', () => {
  const conflict = (...paths: string[]) =>
    new ApiError({ code: 'conflict', fields: paths.map((path) => ({ path, message: '' })) } as Problem, 409)
  const edit = { userIds: ['a', 'b', 'c'], action: 'add' as const }
  expect(goneFrom(conflict('userIds.2', 'userIds.0', 'userIds.9', 'types'), edit)).toEqual(['a', 'c'])
  expect(goneFrom(new ApiError({ code: 'conflict' } as Problem, 409), edit)).toEqual([])
  const allMatching = { filter: {}, except: ['c'], count: 9 }
  expect(goneFrom(conflict('userIds.0'), { allMatching, action: 'add' })).toEqual([])
  expect(describeGone(1)).toBe('1 usuário já não existe e saiu da seleção.')
  expect(describeGone(1_000)).toBe('1.000 usuários já não existem e saíram da seleção.')
})

import { expect, it } from 'vitest'
import { NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import type { Problem } from '#contract/problem.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { ApiError } from '#web/http/send-request.ts'
import { addFingerprint, buildBulkEdit, describeDeleted, findDeletedIds } from './bulk-edit.ts'

it('includes the selected people and only the lists with ticked items', () => {
  const profiles = new Map(['a', 'b'].map((id) => [id, {} as ManagedProfile]))
  expect(buildBulkEdit({ kind: 'some', profiles }, 'add', { ...NO_ENTITLEMENTS, marcas: ['GM'] })).toEqual({
    userIds: ['a', 'b'],
    action: 'add',
    marcas: ['GM'],
  })
  const all = { kind: 'allMatching', filter: { q: 'ana' }, except: ['c'], count: 9 } as const
  const ticked = { types: ['CRM' as const], marcas: [], estados: ['RJ' as const] }
  expect(buildBulkEdit({ ...all, except: ['c'] }, 'remove', ticked)).toEqual({
    allMatching: { filter: { q: 'ana' }, except: ['c'], count: 9 },
    action: 'remove',
    types: ['CRM'],
    estados: ['RJ'],
  })
  // Replacing names what nobody keeps, too; without lists only the end changes.
  expect(buildBulkEdit({ kind: 'some', profiles }, 'replace', ticked, '')).toEqual({
    userIds: ['a', 'b'],
    action: 'replace',
    ...ticked,
    valid_until: null,
  })
  expect(buildBulkEdit({ kind: 'some', profiles }, 'remove', NO_ENTITLEMENTS, '2999-12-31')).toEqual({
    userIds: ['a', 'b'],
    action: 'validity',
    valid_until: '2999-12-31',
  })
})

it('adds the fingerprint of the dry run to an edit of all matching people', () => {
  const counts = {
    selected: 8,
    gaining: 8,
    losing: 0,
    unchanged: 0,
    effects: [],
    ending: 0,
    includesSelf: false,
  }
  const preview = { ...counts, fingerprint: 'x1', undoId: null, undoSeconds: 0 }
  const allMatching = { filter: { q: 'ana' }, except: ['c'], count: 9 }
  expect(addFingerprint({ allMatching, action: 'add', types: ['CRM'] }, preview)).toEqual({
    allMatching: { ...allMatching, fingerprint: 'x1' },
    action: 'add',
    types: ['CRM'],
  })
  const named = { userIds: ['a'], action: 'add' as const }
  expect(addFingerprint(named, preview)).toEqual(named)
})

it('finds the deleted people named by a conflict', () => {
  const conflict = (...paths: string[]) =>
    new ApiError({ code: 'conflict', fields: paths.map((path) => ({ path, message: '' })) } as Problem, 409)
  const edit = { userIds: ['a', 'b', 'c'], action: 'add' as const }
  expect(findDeletedIds(conflict('userIds.2', 'userIds.0', 'userIds.9', 'types'), edit)).toEqual(['a', 'c'])
  expect(findDeletedIds(new ApiError({ code: 'conflict' } as Problem, 409), edit)).toEqual([])
  const allMatching = { filter: {}, except: ['c'], count: 9 }
  expect(findDeletedIds(conflict('userIds.0'), { allMatching, action: 'add' })).toEqual([])
  expect(describeDeleted(1)).toBe('1 usuário já não existe e saiu da seleção.')
  expect(describeDeleted(1_000)).toBe('1.000 usuários já não existem e saíram da seleção.')
})

import { describe, expect, test } from 'vitest'
import { type Access, type Caller, getRefusal } from './access.ts'

const CALLERS: Record<string, Caller | undefined> = {
  nobody: undefined,
  pending: { role: 'user', approved: false, sessionKind: 'full' },
  approved: { role: 'user', approved: true, sessionKind: 'full' },
  'approved until yesterday': { role: 'user', approved: false, accessEnded: true, sessionKind: 'full' },
  admin: { role: 'admin', approved: true, sessionKind: 'full' },
  'pending admin': { role: 'admin', approved: false, sessionKind: 'full' },
  recovery: { role: 'admin', approved: true, sessionKind: 'recovery' },
  'forced change': { role: 'admin', approved: true, sessionKind: 'forcedChange' },
}
const OWES = 'password-change-required'

describe('getRefusal', () => {
  test.each<[Access, Record<string, string | undefined>]>([
    ['public', {}],
    ['signedIn', { nobody: 'unauthenticated', recovery: OWES, 'forced change': OWES }],
    [
      'approved',
      {
        nobody: 'unauthenticated',
        pending: 'not-approved',
        'approved until yesterday': 'access-ended',
        'pending admin': 'not-approved',
        recovery: OWES,
        'forced change': OWES,
      },
    ],
    [
      'admin',
      {
        nobody: 'unauthenticated',
        pending: 'forbidden',
        approved: 'forbidden',
        'approved until yesterday': 'forbidden',
        recovery: OWES,
        'forced change': OWES,
      },
    ],
    ['operator', Object.fromEntries(Object.keys(CALLERS).map((name) => [name, 'unauthenticated']))],
  ])('refuses routes with access %s to the listed callers only', (access, refused) => {
    for (const [name, caller] of Object.entries(CALLERS))
      expect(getRefusal({ access }, caller), name).toBe(refused[name])
  })

  test('admits limited sessions only to routes that name their kind', () => {
    const route = { access: 'signedIn', alsoFor: ['recovery'] } as const
    expect(getRefusal(route, CALLERS.recovery)).toBeUndefined()
    expect(getRefusal(route, CALLERS['forced change'])).toBe(OWES)
  })

  test('applies the access rule to limited sessions, too', () => {
    const route = { access: 'admin', alsoFor: ['forcedChange'] } as const
    expect(getRefusal(route, { role: 'user', approved: true, sessionKind: 'forcedChange' })).toBe('forbidden')
    expect(getRefusal(route, undefined)).toBe('unauthenticated')
  })
})

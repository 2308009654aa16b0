import { describe, expect, test } from 'vitest'
import { type Access, type Caller, getRefusal } from './access.ts'

const MINUTE = 60_000
const user = { role: 'user', approved: true, sessionKind: 'full', authenticationAgeMs: 0 } as const
const admin = { ...user, role: 'admin' } as const
const CALLERS: Record<string, Caller | undefined> = {
  nobody: undefined,
  pending: { ...user, approved: false },
  approved: user,
  'approved until yesterday': { ...user, approved: false, accessEnded: true },
  admin,
  'pending admin': { ...admin, approved: false },
  recovery: { ...admin, sessionKind: 'recovery' },
  'forced change': { ...admin, sessionKind: 'forcedChange' },
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
    expect(getRefusal(route, { ...user, sessionKind: 'forcedChange' })).toBe('forbidden')
    expect(getRefusal(route, undefined)).toBe('unauthenticated')
  })

  test.each([
    ['account', 10 * MINUTE],
    ['many', 120 * MINUTE],
  ] as const)('asks for a recent password where a route names %s, after the role', (name, maxMs) => {
    const route = { access: 'admin', recentAuthentication: name } as const
    expect(getRefusal(route, { ...admin, authenticationAgeMs: maxMs })).toBeUndefined()
    expect(getRefusal(route, { ...admin, authenticationAgeMs: maxMs + 1 })).toBe('reauthentication-needed')
    expect(getRefusal(route, { ...user, authenticationAgeMs: maxMs + 1 })).toBe('forbidden')
    const forced = { sessionKind: 'forcedChange', authenticationAgeMs: Number.POSITIVE_INFINITY } as const
    expect(getRefusal({ ...route, alsoFor: ['forcedChange'] }, { ...admin, ...forced })).toBeUndefined()
  })
})

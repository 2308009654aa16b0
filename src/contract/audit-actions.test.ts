import { expect, test } from 'vitest'
import { ACCESS_ACTIONS, AUDIT_ACTIONS, type TrailAction } from './audit-actions.ts'
import { routeGroups } from './index.ts'
import type { Trail } from './route.ts'

const ROUTES = Object.values(routeGroups).flatMap((routes) => Object.values(routes))
const ALL: readonly string[] = [...AUDIT_ACTIONS, ...ACCESS_ACTIONS]

/** Left by no route: by a command on the server, or by the portal itself. */
const WITHOUT_ROUTE: readonly TrailAction[] = [
  'access-revoked',
  'database-restored',
  'microsoft-disabled',
  'password-revoked',
  'report-mailed',
  'reset-link-printed',
  'trail-broken',
]

const listActions = (trail: Trail | undefined): readonly TrailAction[] =>
  trail === undefined || (typeof trail === 'object' && 'none' in trail) ? [] : [trail].flat()

test('every writing route names its entries of the trail, or the reason for none, which is printed', () => {
  const reasons: string[] = []
  for (const { method, path, trail } of ROUTES) {
    if (method === 'GET' && trail === undefined) continue
    const name = `${method} ${path}`
    if (typeof trail === 'object' && 'none' in trail) {
      expect(trail.none, name).toMatch(/\S+ \S+/)
      reasons.push(`${name}: ${trail.none}`)
    } else {
      expect(listActions(trail), name).not.toEqual([])
      expect(ALL, name).toEqual(expect.arrayContaining([...listActions(trail)]))
    }
  }
  process.stdout.write(`Writes without an entry in the trail:\n  ${reasons.sort().join('\n  ')}\n`)
})

test('every kind of entry belongs to a route, or is left by none', () => {
  const named = ROUTES.flatMap(({ trail }) => listActions(trail))
  expect([...new Set([...named, ...WITHOUT_ROUTE])].sort()).toEqual([...ALL].sort())
  expect(WITHOUT_ROUTE.filter((action) => named.includes(action))).toEqual([])
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RouteName } from '#contract/index.ts'
import { buildPath, type Route } from '#contract/route.ts'
import { TEST_METRICS_TOKEN } from '#server/testing/read-metrics.ts'
import {
  ALL_CALLERS,
  type CallerName,
  createCallerTokens,
  FULL,
  getExpectedOutcome,
  getRouteName,
  LIMITED,
  ROUTES,
} from '#server/testing/route-callers.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

/** Callers of each route, independent of the contract. */
const PERMITTED_CALLERS: Record<RouteName, keyof typeof GROUPS> = {
  'GET /api/health/live': 'everybody',
  'GET /api/health/ready': 'everybody',
  'GET /api/health/findings': 'admins',
  'GET /api/health/lamps': 'admins',
  'GET /api/health/caller': 'operators',
  'GET /api/health/stream': 'operators',
  'GET /api/openapi.json': 'admins',
  'GET /api/metrics': 'operators',
  'POST /api/auth/token': 'everybody',
  'GET /api/auth/user': 'every session',
  'POST /api/auth/logout': 'every session',
  'POST /api/auth/signup': 'everybody',
  'POST /api/auth/recover': 'everybody',
  'POST /api/auth/not-me': 'everybody',
  'PUT /api/auth/user': 'full and recovery sessions',
  'POST /api/functions/change-password': 'recent and forced-change sessions',
  'POST /api/auth/reauthenticate': 'full sessions, or of one step',
  'POST /api/auth/factors': 'sessions with a recent password, or of one step',
  'POST /api/auth/factors/{factorId}/challenge': 'full sessions, or of one step',
  'POST /api/auth/factors/{factorId}/verify': 'full sessions, or of one step',
  'DELETE /api/auth/factors/{factorId}': 'sessions with a recent password',
  'GET /api/auth/factors/recovery-codes': 'full sessions',
  'POST /api/auth/factors/recovery-codes': 'sessions with a recent password',
  'POST /api/auth/factors/recovery-codes/regenerate': 'sessions with a recent password',
  'POST /api/auth/factors/recovery-codes/verify': 'full sessions, or of one step',
  'DELETE /api/auth/factors/recovery-codes': 'sessions with a recent password',
  'POST /api/auth/factors/link': 'full sessions, or of one step',
  'POST /api/auth/factors/link/verify': 'full sessions, or of one step',
  'POST /api/auth/passkeys/registration/options': 'sessions with a recent password, or of one step',
  'POST /api/auth/passkeys/registration/verify': 'sessions with a recent password, or of one step',
  'POST /api/auth/passkeys/authentication/options': 'everybody',
  'POST /api/auth/passkeys/authentication/verify': 'everybody',
  'GET /api/auth/passkeys': 'full sessions',
  'PATCH /api/auth/passkeys/{passkeyId}': 'full sessions',
  'DELETE /api/auth/passkeys/{passkeyId}': 'sessions with a recent password',
  'POST /api/auth/resend': 'everybody',
  'POST /api/auth/verify': 'everybody',
  'GET /api/auth/challenge': 'everybody',
  'POST /api/functions/verify-recaptcha': 'everybody',
  'GET /api/profiles/me': 'full sessions',
  'GET /api/profiles/me/export': 'sessions with a recent password',
  'GET /api/sessions/me': 'full sessions',
  'GET /api/auth/microsoft': 'full sessions',
  'GET /api/group-mappings': 'admins',
  'PUT /api/group-mappings': 'admins with a recent password',
  'GET /api/group-mappings/effects': 'admins',
  'POST /api/group-mappings/apply': 'admins with a recent password',
  'GET /api/auth/microsoft/link': 'sessions with a recent password',
  'GET /api/auth/microsoft/renewal': 'full sessions, or of one step',
  'DELETE /api/auth/microsoft': 'sessions with a recent password',
  'DELETE /api/sessions/me/{id}': 'sessions with a recent password',
  'GET /api/access-requests/me': 'full sessions',
  'PUT /api/access-requests/me': 'full sessions',
  'POST /api/access-requests/{userId}/grant': 'admins',
  'POST /api/access-requests/{userId}/refuse': 'admins',
  'GET /api/profiles': 'admins',
  'GET /api/profiles/count': 'admins',
  'GET /api/profiles/tasks': 'admins',
  'GET /api/profiles/export': 'admins with a recent password',
  'GET /api/profiles/{userId}': 'admins',
  'PATCH /api/profiles/{userId}': 'admins',
  'POST /api/profiles/bulk-edit': 'admins',
  'POST /api/profiles/approve': 'admins',
  'POST /api/profiles/bulk-edit/{undoId}/undo': 'admins',
  'GET /api/profiles/bulk-edit/{undoId}/undo': 'admins',
  'GET /api/profiles/{userId}/history': 'admins',
  'GET /api/profiles/{userId}/export': 'admins with a recent password',
  'GET /api/profiles/{userId}/access': 'admins',
  'GET /api/access/{type}': 'admins',
  'GET /api/access/{type}/export': 'admins with a recent password',
  'GET /api/audit': 'admins',
  'GET /api/audit/export': 'admins with a recent password',
  'POST /api/audit/downloads': 'admins with a recent password',
  'GET /api/profiles/{userId}/sessions': 'admins',
  'POST /api/profiles/{userId}/account': 'admins with a recent password',
  'PUT /api/profiles/{userId}/role': 'admins with a recent password',
  'POST /api/functions/delete-users': 'admins with a recent password',
  'GET /api/user-roles/me': 'full sessions',
  'GET /api/catalogue': 'full sessions',
  'GET /api/catalogue/use': 'admins',
  'PUT /api/catalogue': 'admins',
  'POST /api/catalogue/{kind}': 'admins',
  'PATCH /api/catalogue/{kind}/{code}': 'admins',
  'DELETE /api/catalogue/{kind}/{code}': 'admins',
  'GET /api/access-templates': 'admins',
  'POST /api/access-templates': 'admins',
  'PATCH /api/access-templates/{id}': 'admins',
  'DELETE /api/access-templates/{id}': 'admins',
  'GET /api/invitations': 'admins',
  'POST /api/invitations': 'admins',
  'POST /api/invitations/change': 'admins',
  'POST /api/invitations/resend': 'admins',
  'POST /api/invitations/withdraw': 'admins',
  'POST /api/invitations/{id}/resend': 'admins',
  'DELETE /api/invitations/{id}': 'admins',
  'GET /api/access-reviews': 'admins',
  'GET /api/access-reviews/{kind}/{code}': 'admins',
  'GET /api/past-access-reviews/{id}': 'admins',
  'POST /api/access-reviews/{kind}/{code}': 'admins',
  'GET /api/profiles/{userId}/reports': 'admins',
  'GET /api/profiles/{userId}/report-use': 'admins',
  'POST /api/profiles/{userId}/embed-token': 'admins',
  'GET /api/report-views': 'approved people',
  'POST /api/report-views': 'approved people',
  'GET /api/report-views/{id}': 'approved people',
  'PATCH /api/report-views/{id}': 'approved people',
  'DELETE /api/report-views/{id}': 'approved people',
  'POST /api/report-views/{id}/restore': 'approved people',
  'GET /api/reports/me': 'full sessions',
  'GET /api/reports/{reportId}/last-refresh': 'approved people',
  'POST /api/functions/get-powerbi-token': 'approved people',
  'POST /api/report-exports': 'approved people',
  'GET /api/report-exports': 'approved people',
  'GET /api/report-exports/{id}': 'approved people',
  'GET /api/report-exports/{id}/file': 'approved people',
  'GET /api/report-subscriptions': 'full sessions',
  'POST /api/report-subscriptions': 'approved people',
  'PATCH /api/report-subscriptions/{id}': 'approved people',
  'DELETE /api/report-subscriptions/{id}': 'full sessions',
  'GET /api/report-subscriptions/all': 'admins',
  'POST /api/report-subscriptions/unsubscribe': 'everybody',
  'GET /api/global-powerbi-settings': 'admins',
  'GET /api/global-powerbi-settings/states': 'admins',
  'PUT /api/global-powerbi-settings/{type}': 'admins with a recent password',
  'DELETE /api/global-powerbi-settings/{type}': 'admins with a recent password',
  'POST /api/global-powerbi-settings/{type}/test': 'admins',
  'GET /api/global-powerbi-settings/{type}/refresh': 'admins',
  'POST /api/global-powerbi-settings/{type}/refresh': 'admins',
  'GET /api/global-powerbi-settings/{type}/reports': 'admins',
  'POST /api/global-powerbi-settings/{type}/reports': 'admins with a recent password',
  'PATCH /api/global-powerbi-settings/{type}/reports/{id}': 'admins with a recent password',
  'DELETE /api/global-powerbi-settings/{type}/reports/{id}': 'admins with a recent password',
  'GET /api/power-bi/workspaces': 'admins',
  'GET /api/power-bi/workspaces/{workspaceId}/reports': 'admins',
  'GET /api/notices': 'full sessions',
  'GET /api/notices/public': 'everybody',
  'POST /api/notices/{id}/close': 'full sessions',
  'GET /api/admin/notices': 'admins',
  'POST /api/admin/notices': 'admins',
  'PATCH /api/admin/notices/{id}': 'admins',
  'DELETE /api/admin/notices/{id}': 'admins',
  'POST /api/support-messages': 'everybody',
  'POST /api/support-messages/problem-reports': 'approved people',
  'GET /api/usage': 'admins',
  'PUT /api/usage/mail': 'admins',
  'POST /api/usage/timings': 'approved people',
  'GET /api/support-messages': 'admins',
  'GET /api/support-messages/unread-count': 'admins',
  'GET /api/changes': 'full sessions',
  'GET /api/support-messages/changes': 'admins',
  'PATCH /api/support-messages/{id}': 'admins',
  'PATCH /api/support-messages': 'admins',
  'DELETE /api/support-messages/{id}': 'admins',
}

const RECENT = FULL.filter((name) => !name.includes('password'))
const ONE_STEP = ['second step owed', 'second step owed by an admin'] as const
const GROUPS = {
  everybody: ALL_CALLERS,
  'every session': [...FULL, ...LIMITED],
  'full sessions': FULL,
  // Full sessions are authorized, then refused by the handler.
  'full and recovery sessions': [...FULL, 'recovery session', 'recovery session of an admin'],
  'full sessions, or of one step': [...FULL, ...ONE_STEP],
  'sessions with a recent password': RECENT,
  'sessions with a recent password, or of one step': [...RECENT, ...ONE_STEP],
  'recent and forced-change sessions': [...RECENT, 'forced-change session'],
  'approved people': [
    'approved',
    'approved without types',
    'admin',
    'approved, password 11 minutes ago',
    'admin, password 3 hours ago',
    'approved, both steps',
    'admin, both steps',
  ],
  admins: ['admin', 'unapproved admin', 'admin, password 3 hours ago', 'admin, both steps'],
  'admins with a recent password': ['admin', 'unapproved admin', 'admin, both steps'],
  operators: ['operator'],
} as const satisfies Record<string, readonly CallerName[]>

/** Sends invalid path, query and body: refusals must come before any of it is read. */
async function callWithGarbage(portal: TestPortal, route: Route, token: string | undefined) {
  const reply = await fetch(`${portal.url}${buildPath(route)}?scope=nonsense&grant_type=%00`, {
    method: route.method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(route.method !== 'GET' && { body: '{"garbage' }),
  })
  const isRefused = reply.status === 401 || reply.status === 403
  const code = isRefused ? ((await reply.json()) as { code: string }).code : undefined
  // A stream does not end by itself.
  if (!isRefused) await reply.body?.cancel()
  expect(reply.status, getRouteName(route)).toBeLessThan(500)
  return isRefused ? `${reply.status} ${code}` : 'passes'
}

describeOnEachDatabase('every route × every caller', (kind) => {
  const options = { kind, rateLimits: false, metricsToken: TEST_METRICS_TOKEN }
  const portal = setUpPortal(options)
  let replica: TestPortal
  let tokens: Record<CallerName, string | undefined>
  beforeAll(async () => {
    replica = await startTestPortal({ ...options, database: portal.database, clock: portal.clock })
    tokens = await createCallerTokens(portal)
  })
  afterAll(() => replica.stop())

  describe.each(ROUTES.map((route) => [getRouteName(route), route] as const))('%s', (name, route) => {
    test(`admits ${PERMITTED_CALLERS[name]}, as the contract says`, async () => {
      const got: Record<string, string> = {}
      for (const caller of ALL_CALLERS) got[caller] = await callWithGarbage(portal, route, tokens[caller])
      expect(got).toEqual(
        Object.fromEntries(ALL_CALLERS.map((caller) => [caller, getExpectedOutcome(route, caller)])),
      )
      const elsewhere: Record<string, string> = {}
      for (const caller of ALL_CALLERS)
        elsewhere[caller] = await callWithGarbage(replica, route, tokens[caller])
      expect(elsewhere, 'another replica, which opened none of these sessions').toEqual(got)
      const passing = ALL_CALLERS.filter((caller) => got[caller] === 'passes')
      expect(passing).toEqual(GROUPS[PERMITTED_CALLERS[name]])
    })
  })
})

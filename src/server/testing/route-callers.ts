import { createHash } from 'node:crypto'
import { type Caller, getRefusal, type WantedSessionKind } from '#contract/access.ts'
import { type RouteName, type RouteNameWith, routeGroups } from '#contract/index.ts'
import { PROBLEMS } from '#contract/problem.ts'
import type { Route, Schema } from '#contract/route.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { createAccessTokens } from '#server/accounts/tokens.ts'
import { createKeyring } from '#server/keyring.ts'
import { computeFingerprint } from '#server/users/bulk-edit.ts'
import { NEW_PASSWORD } from './account-calls.ts'
import {
  addFactor,
  addPerson,
  ageAuthentication,
  getEmulatedReport,
  openTestSession,
  TEST_PASSWORD,
} from './builders.ts'
import { toTokenBody } from './embed-token-calls.ts'
import { TEST_METRICS_TOKEN } from './read-metrics.ts'
import { toLinkSetting, toSetting } from './report-setting-calls.ts'
import type { TestPortal } from './test-portal.ts'

/** Callers whom all routes but the public ones reject. */
const NOT_SIGNED_IN = [
  'nobody',
  'garbage token',
  'expired token',
  'token signed by another secret',
  'deleted user',
  'ended session',
  'session idle for 41 minutes',
  'recovery session after 16 minutes',
] as const
export const FULL = [
  'pending',
  'approved',
  'approved without types',
  'approved until yesterday',
  'admin',
  'unapproved admin',
  'approved, password 11 minutes ago',
  'admin, password 3 hours ago',
  'approved, both steps',
  'admin, both steps',
] as const
export const LIMITED = [
  'recovery session',
  'recovery session of an admin',
  'forced-change session',
  'second step owed',
  'second step owed by an admin',
] as const
export type CallerName = (typeof NOT_SIGNED_IN | typeof FULL | typeof LIMITED)[number] | 'operator'
/** Every kind of caller that the API distinguishes. */
export const ALL_CALLERS: readonly CallerName[] = [...NOT_SIGNED_IN, 'operator', ...FULL, ...LIMITED]

const MINUTE = 60_000
const user = { role: 'user', approved: true, sessionKind: 'full', authenticationAgeMs: 0 } as const

/** The input of the contract's access rule for each caller. */
const CALLERS: Partial<Record<CallerName, Caller>> = {
  pending: { ...user, approved: false },
  approved: user,
  'approved without types': user,
  'approved until yesterday': { ...user, approved: false, accessEnded: true },
  admin: { ...user, role: 'admin' },
  'unapproved admin': { ...user, role: 'admin', approved: false },
  'approved, password 11 minutes ago': { ...user, authenticationAgeMs: 11 * MINUTE },
  'admin, password 3 hours ago': { ...user, role: 'admin', authenticationAgeMs: 180 * MINUTE },
  'approved, both steps': user,
  'admin, both steps': { ...user, role: 'admin' },
  'recovery session': { ...user, sessionKind: 'recovery' },
  'recovery session of an admin': { ...user, role: 'admin', sessionKind: 'recovery' },
  'forced-change session': { ...user, sessionKind: 'forcedChange' },
  'second step owed': { ...user, sessionKind: 'aal1' },
  'second step owed by an admin': { ...user, role: 'admin', sessionKind: 'aal1' },
}

const admin = { role: 'admin' } as const

/** Creates functions that open valid and aged sessions, and sign other tokens. */
function createOpeners(portal: TestPortal) {
  const open = async (
    profile: Parameters<typeof addPerson>[1] = {},
    kind: WantedSessionKind = 'full',
    steps?: 'one of two' | 'both',
  ) => {
    const person = await addPerson(portal, profile)
    if (steps) await addFactor(portal, person.user_id)
    const by = steps === 'both' ? 'passkey' : 'password'
    const { access_token } = await openTestSession(portal, person, kind, by)
    const claims = Buffer.from(access_token.split('.')[1] as string, 'base64url').toString()
    return { access_token, sessionId: JSON.parse(claims).sid as string, userId: person.user_id }
  }
  const signToken = async (keyring: TestPortal['keyring'], ageMs: number) => {
    const { sessionId, userId } = await open()
    const tokens = createAccessTokens(keyring, () => portal.clock() - ageMs)
    return tokens.sign({ sessionId, userId, refreshCounter: 0 })
  }
  const createAgedToken = async (kind: WantedSessionKind, ageMs: number) => {
    const { access_token, sessionId } = await open({}, kind)
    const then = new Date(portal.clock() - ageMs)
    const ages = kind === 'recovery' ? { created_at: then } : { refreshed_at: then, renewed_at: then }
    await portal.database.db.updateTable('sessions').set(ages).where('id', '=', sessionId).execute()
    return access_token
  }
  return { open, signToken, createAgedToken }
}

/** Creates a caller of every kind. @returns their bearer tokens */
export async function createCallerTokens(
  portal: TestPortal,
): Promise<Record<CallerName, string | undefined>> {
  const { db } = portal.database
  const { open, signToken, createAgedToken } = createOpeners(portal)
  const deleted = await open()
  await db.deleteFrom('profiles').where('user_id', '=', deleted.userId).execute()
  const ended = await open()
  await db.deleteFrom('sessions').where('id', '=', ended.sessionId).execute()
  return {
    nobody: undefined,
    'garbage token': 'x'.repeat(200),
    'expired token': await signToken(portal.keyring, 10 * MINUTE),
    'token signed by another secret': await signToken(createKeyring(['another secret altogether']), 0),
    'deleted user': deleted.access_token,
    'ended session': ended.access_token,
    'session idle for 41 minutes': await createAgedToken('full', 41 * MINUTE),
    'recovery session after 16 minutes': await createAgedToken('recovery', 16 * MINUTE),
    operator: TEST_METRICS_TOKEN,
    pending: (await open({ approved: false })).access_token,
    approved: (await open()).access_token,
    'approved without types': (await open({ types: [] })).access_token,
    'approved until yesterday': (
      await open({ valid_until: toSaoPauloDay(portal.clock() - 24 * 60 * MINUTE) })
    ).access_token,
    admin: (await open(admin)).access_token,
    'unapproved admin': (await open({ ...admin, approved: false })).access_token,
    'approved, password 11 minutes ago': await ageAuthentication(
      portal,
      (await open()).access_token,
      11 * MINUTE,
    ),
    'admin, password 3 hours ago': await ageAuthentication(
      portal,
      (await open(admin)).access_token,
      180 * MINUTE,
    ),
    'approved, both steps': (await open({}, 'full', 'both')).access_token,
    'admin, both steps': (await open(admin, 'full', 'both')).access_token,
    'recovery session': (await open({}, 'recovery')).access_token,
    'recovery session of an admin': (await open(admin, 'recovery')).access_token,
    'forced-change session': (await open({}, 'forcedChange')).access_token,
    'second step owed': (await open({}, 'full', 'one of two')).access_token,
    'second step owed by an admin': (await open(admin, 'full', 'one of two')).access_token,
  }
}

/**
 * Returns the outcome of the contract's access rule: 'passes', or status and code of the refusal.
 * Routes for operators only accept the operator's token.
 */
export function getExpectedOutcome(route: Route, caller: CallerName): string {
  if (route.access === 'operator' && caller === 'operator') return 'passes'
  const refusal = getRefusal(route, CALLERS[caller])
  return refusal ? `${PROBLEMS[refusal][0]} ${refusal}` : 'passes'
}

export type Body = Record<string, unknown>
export interface Example {
  path: string
  body: Body
}

const email = 'alguem@grupopatio.com.br'
/** Ids in the examples; for an effect, a test adds a person, a template and a message with them. */
export const SOME_USER = '7b0c3a52-5c0e-4f5e-9d6e-0d6f3f1f2a11'
/** A user who waits for approval. */
export const SOME_WAITING_USER = '3d1f7a50-9f6a-4b7c-8a0e-5b1c2d3e4f60'
/** When SOME_USER asked for more access. */
export const SOME_REQUEST_TIME = '2026-11-22T12:00:00.000Z'
export const SOME_SESSION = '5f1d3c8e-2b7a-4c6d-9e0f-1a2b3c4d5e6f'
/** A recovery code. */
export const SOME_CODE = 'ABCD-EFGH-JKLM-NPQR'
/** A code generator and a passkey; a test gives them to the caller. */
export const SOME_FACTOR = '1c9e7b52-8d3f-4a6e-b0c1-d2e3f4a5b6c7'
export const SOME_PASSKEY = '2d0f8c63-9e4a-4b7f-81d2-e3f4a5b6c7d8'
export const SOME_TEMPLATE = 'c6d6b6a4-0c56-4f0e-8a55-2f6f0f1d9b7e'
/** A template that no group gives. */
export const FREE_TEMPLATE = 'd7e7c7b5-1d67-4a1f-9b66-3a7a1a2e0c8f'
/** A group that gives SOME_TEMPLATE to SOME_USER, and the fingerprint of that. */
export const SOME_GROUP = '2a3b4c5d-6e7f-4a8b-9c0d-1e2f3a4b5c6d'
const SOME_GROUP_FINGERPRINT = createHash('sha256')
  .update(
    JSON.stringify([
      {
        ids: [SOME_USER],
        before: { types: ['HPD', 'CRM'], marcas: ['VW'], estados: ['RJ'] },
        after: { types: ['Oficina'], marcas: [], estados: [] },
      },
    ]),
  )
  .digest('base64url')
export const SOME_INVITATION = 'e8a1f0c2-3b4d-4c5e-9f60-718293a4b5c6'
/** A saved view of a report, and a deleted one; a test gives them to the caller. */
export const SOME_REPORT_VIEW = '5f0f8d1e-3a57-4c0f-9d0e-6a1b2c3d4e5f'
export const SOME_DELETED_VIEW = '6a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'
/** A report mailed on a schedule; a test gives it to the caller. */
export const SOME_SUBSCRIPTION = '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5c4'
/** Placeholder for the id of a 'view as' of SOME_USER. */
const SOME_VIEW = '123456789'
/** A further report of Vendas, and a removed one. */
export const SOME_REPORT = '7b2c3d4e-5f6a-4b7c-8d8e-0f1a2b3c4d5e'
export const SOME_REMOVED_REPORT = '8c3d4e5f-6a7b-4c8d-9e9f-1a2b3c4d5e6f'
/** A notice, and a removed one. */
export const SOME_NOTICE = '9d4e5f6a-7b8c-4d9e-8f0a-2b3c4d5e6f70'
export const SOME_REMOVED_NOTICE = 'ae5f6a7b-8c9d-4eaf-9a1b-3c4d5e6f7a81'
/** The form of a notice. */
export const SOME_NOTICE_FORM = {
  text: 'Manutenção hoje às 22h',
  severity: 'warning' as const,
  types: null,
  starts_at: null,
  ends_at: null,
  on_login: false,
  is_draft: false,
}
/** True, since examples with another truth value would be valid too. */
const ON = { on_login: true, is_draft: true }
export const SOME_MESSAGE = '00000000-0000-4000-8000-000000000000'

const { workspaceId, reportId, datasetId } = getEmulatedReport('CRM')

type RouteNameWithBody = RouteNameWith<{ body: Schema }>
type WritingRouteName = RouteNameWith<{ method: Exclude<Route['method'], 'GET'> }>

/** Valid bodies of each route, with their paths. */
export const EXAMPLES: Record<RouteNameWithBody, Example[]> = {
  'POST /api/auth/token': [
    { path: '/api/auth/token?grant_type=password', body: { email, password: 'uma senha', captcha: 'x' } },
    { path: '/api/auth/token?grant_type=refresh_token', body: { refresh_token: 'x'.repeat(48) } },
  ],
  'POST /api/auth/signup': [
    { path: '/api/auth/signup', body: { email, password: 'uma senha bem longa', captcha: 'x' } },
  ],
  'POST /api/auth/recover': [{ path: '/api/auth/recover', body: { email } }],
  'POST /api/auth/not-me': [{ path: '/api/auth/not-me', body: { token_hash: 'abc' } }],
  'PUT /api/auth/user': [{ path: '/api/auth/user', body: { password: NEW_PASSWORD } }],
  'POST /api/auth/reauthenticate': [{ path: '/api/auth/reauthenticate', body: { password: TEST_PASSWORD } }],
  'POST /api/auth/factors': [
    { path: '/api/auth/factors', body: { factor_type: 'totp', friendly_name: 'Celular' } },
    { path: '/api/auth/factors', body: { factor_type: 'webauthn' } },
  ],
  'POST /api/auth/factors/{factorId}/challenge': [
    { path: `/api/auth/factors/${SOME_FACTOR}/challenge`, body: { factorId: SOME_FACTOR } },
  ],
  'POST /api/auth/factors/{factorId}/verify': [
    { path: `/api/auth/factors/${SOME_FACTOR}/verify`, body: { challenge_id: 'x', code: '123456' } },
  ],
  'POST /api/auth/factors/recovery-codes/verify': [
    { path: '/api/auth/factors/recovery-codes/verify', body: { code: SOME_CODE } },
  ],
  'POST /api/auth/factors/link/verify': [
    { path: '/api/auth/factors/link/verify', body: { token_hash: 'abc' } },
  ],
  'POST /api/auth/passkeys/registration/options': [
    { path: '/api/auth/passkeys/registration/options', body: {} },
  ],
  'POST /api/auth/passkeys/registration/verify': [
    {
      path: '/api/auth/passkeys/registration/verify',
      body: { challenge_id: 'x', credential: { id: 'x' } },
    },
  ],
  'POST /api/auth/passkeys/authentication/options': [
    { path: '/api/auth/passkeys/authentication/options', body: {} },
  ],
  'POST /api/auth/passkeys/authentication/verify': [
    {
      path: '/api/auth/passkeys/authentication/verify',
      body: { challenge_id: 'x', credential: { id: 'x' } },
    },
  ],
  'PATCH /api/auth/passkeys/{passkeyId}': [
    { path: `/api/auth/passkeys/${SOME_PASSKEY}`, body: { friendly_name: 'Notebook' } },
  ],
  'POST /api/functions/change-password': [
    { path: '/api/functions/change-password', body: { newPassword: NEW_PASSWORD } },
  ],
  'POST /api/auth/resend': [{ path: '/api/auth/resend', body: { type: 'signup', email } }],
  'PUT /api/group-mappings': [
    {
      path: '/api/group-mappings',
      body: { items: [{ group_id: SOME_GROUP, name: 'Outro nome', template_id: SOME_TEMPLATE }] },
    },
  ],
  'POST /api/group-mappings/apply': [
    { path: '/api/group-mappings/apply', body: { fingerprint: SOME_GROUP_FINGERPRINT } },
  ],
  'POST /api/auth/verify': [{ path: '/api/auth/verify', body: { type: 'signup', token_hash: 'abc' } }],
  'POST /api/functions/verify-recaptcha': [
    { path: '/api/functions/verify-recaptcha', body: { token: 'abc' } },
  ],
  'POST /api/functions/get-powerbi-token': [
    {
      path: '/api/functions/get-powerbi-token',
      body: toTokenBody('Vendas', { marcas: ['FIAT'], estados: ['RJ'], userEmail: email }),
    },
  ],
  'POST /api/report-exports': [
    {
      path: '/api/report-exports',
      body: { area: 'Vendas', reportId: getEmulatedReport('Vendas').reportId, format: 'pdf' },
    },
  ],
  'POST /api/report-subscriptions': [
    {
      path: '/api/report-subscriptions',
      body: {
        area: 'Vendas',
        reportId: getEmulatedReport('Vendas').reportId,
        format: 'pdf',
        schedule: { every: 'week', weekday: 1, hour: 8 },
      },
    },
  ],
  'PATCH /api/report-subscriptions/{id}': [
    {
      path: `/api/report-subscriptions/${SOME_SUBSCRIPTION}`,
      body: { format: 'pptx', schedule: { every: 'month', day: 31, hour: 0 } },
    },
    { path: `/api/report-subscriptions/${SOME_SUBSCRIPTION}`, body: { stopped: true } },
  ],
  'PATCH /api/profiles/{userId}': [
    { path: `/api/profiles/${SOME_USER}`, body: { types: ['Vendas'] } },
    { path: `/api/profiles/${SOME_USER}`, body: { marcas: ['FIAT'], estados: ['RJ'] } },
    { path: `/api/profiles/${SOME_USER}`, body: { valid_until: '2999-12-31' } },
    { path: `/api/profiles/${SOME_USER}`, body: { full_name: 'Rita Prado' } },
    {
      path: `/api/profiles/${SOME_WAITING_USER}`,
      body: { approved: true, types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] },
    },
  ],
  'POST /api/profiles/bulk-edit': [
    { path: '/api/profiles/bulk-edit', body: { userIds: [SOME_USER], action: 'add', types: ['Vendas'] } },
    {
      path: '/api/profiles/bulk-edit',
      body: { userIds: [SOME_USER], action: 'validity', valid_until: '2999-12-31' },
    },
    {
      path: '/api/profiles/bulk-edit?dryRun=true',
      body: { allMatching: { filter: { q: 'a' }, except: [], count: 1 }, action: 'remove', marcas: ['FIAT'] },
    },
  ],
  'PUT /api/catalogue': [{ path: '/api/catalogue', body: { estados: ['PR', 'MG', 'ES', 'RJ'] } }],
  'POST /api/catalogue/{kind}': [
    { path: '/api/catalogue/marcas', body: { label: 'BYD', code: 'BYD' } },
    { path: '/api/catalogue/types', body: { label: 'Seminovos' } },
  ],
  'PATCH /api/catalogue/{kind}/{code}': [
    { path: '/api/catalogue/types/slack', body: { label: 'Conversas', archived: true } },
  ],
  'POST /api/access-templates': [
    {
      path: '/api/access-templates',
      body: { name: 'Gerente', types: ['Vendas', 'Gerentes'], marcas: ['FIAT'], estados: ['RJ'] },
    },
  ],
  'PATCH /api/access-templates/{id}': [
    { path: `/api/access-templates/${SOME_TEMPLATE}`, body: { name: 'Oficina RJ', types: ['Oficina'] } },
  ],
  'POST /api/invitations': [
    {
      path: '/api/invitations',
      body: {
        addresses: 'Rita Prado <rita.prado@grupopatio.com.br>',
        defaults: { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] },
      },
    },
  ],
  'POST /api/invitations/change': [
    {
      path: '/api/invitations/change',
      body: {
        items: [{ id: SOME_INVITATION, version: 0 }],
        action: 'add',
        types: ['Vendas', 'CRM'],
        marcas: ['FIAT'],
        estados: ['RJ'],
        valid_until: '2099-12-31',
      },
    },
  ],
  'POST /api/invitations/resend': [{ path: '/api/invitations/resend', body: { ids: [SOME_INVITATION] } }],
  'POST /api/invitations/withdraw': [{ path: '/api/invitations/withdraw', body: { ids: [SOME_INVITATION] } }],
  'POST /api/access-reviews/{kind}/{code}': [
    {
      path: '/api/access-reviews/marcas/VW',
      body: { fingerprint: computeFingerprint([SOME_USER]), remove: [SOME_USER] },
    },
  ],
  'POST /api/profiles/{userId}/embed-token': [
    {
      path: `/api/profiles/${SOME_USER}/embed-token`,
      body: { view: SOME_VIEW, workspaceId, reportId, datasetId },
    },
  ],
  'PUT /api/access-requests/me': [
    {
      path: '/api/access-requests/me',
      body: { full_name: 'Rita Prado', workplace: 'Oficina', types: ['Oficina'], note: 'Sou nova.' },
    },
  ],
  'POST /api/access-requests/{userId}/grant': [
    {
      path: `/api/access-requests/${SOME_USER}/grant`,
      body: { requested_at: SOME_REQUEST_TIME, types: ['Oficina'], marcas: [], estados: [] },
    },
  ],
  'POST /api/access-requests/{userId}/refuse': [
    {
      path: `/api/access-requests/${SOME_USER}/refuse`,
      body: { requested_at: SOME_REQUEST_TIME, reason: 'Fale com o gerente.' },
    },
  ],
  'POST /api/profiles/approve': [
    {
      path: '/api/profiles/approve',
      body: {
        items: [
          { userId: SOME_WAITING_USER, version: 1, types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] },
        ],
      },
    },
  ],
  'POST /api/report-views': [
    {
      path: '/api/report-views',
      body: {
        area: 'Vendas',
        reportId: getEmulatedReport('Vendas').reportId,
        name: 'Este mês',
        state: 'H4sIAAAA',
        isDefault: true,
      },
    },
  ],
  'PATCH /api/report-views/{id}': [
    { path: `/api/report-views/${SOME_REPORT_VIEW}`, body: { name: 'Outro nome', state: 'H4sIBBBB' } },
    { path: `/api/report-views/${SOME_REPORT_VIEW}`, body: { isDefault: true, shared: true } },
  ],
  'PUT /api/global-powerbi-settings/{type}': [
    { path: '/api/global-powerbi-settings/vendas', body: toSetting('Vendas') },
    { path: '/api/global-powerbi-settings/vendas', body: toLinkSetting('https://app.powerbi.com/x?y=1') },
  ],
  'POST /api/global-powerbi-settings/{type}/test': [
    { path: '/api/global-powerbi-settings/vendas/test', body: toSetting('Vendas') },
    {
      path: '/api/global-powerbi-settings/vendas/test',
      body: toLinkSetting('https://app.powerbi.com/x?y=1'),
    },
  ],
  'POST /api/global-powerbi-settings/{type}/reports': [
    {
      path: '/api/global-powerbi-settings/vendas/reports',
      body: { name: 'Metas', ...toSetting('Gerentes') },
    },
  ],
  'PATCH /api/global-powerbi-settings/{type}/reports/{id}': [
    {
      path: `/api/global-powerbi-settings/vendas/reports/${SOME_REPORT}`,
      body: { name: 'Outro nome', ...toSetting('Oficina'), position: 0 },
    },
  ],
  'POST /api/profiles/{userId}/account': (
    ['send-reset', 'unlock', 'end-sessions', 'reset-factor'] as const
  ).map((action) => ({ path: `/api/profiles/${SOME_USER}/account`, body: { action } })),
  'PUT /api/profiles/{userId}/role': [{ path: `/api/profiles/${SOME_USER}/role`, body: { role: 'admin' } }],
  'POST /api/functions/delete-users': [
    { path: '/api/functions/delete-users', body: { userIds: [SOME_USER] } },
  ],
  'POST /api/audit/downloads': [
    { path: '/api/audit/downloads', body: { what: 'person-access', userId: SOME_USER } },
  ],
  'PUT /api/usage/mail': [{ path: '/api/usage/mail', body: { wanted: true } }],
  'POST /api/usage/timings': [
    { path: '/api/usage/timings', body: { report: SOME_REPORT, outcome: 'shown', ms: 42 } },
    { path: '/api/usage/timings', body: { report: SOME_REPORT, outcome: 'failed' } },
  ],
  'POST /api/admin/notices': [{ path: '/api/admin/notices', body: { ...SOME_NOTICE_FORM, ...ON } }],
  'PATCH /api/admin/notices/{id}': [
    {
      path: `/api/admin/notices/${SOME_NOTICE}`,
      body: { ...SOME_NOTICE_FORM, ...ON, text: 'Manutenção amanhã' },
    },
    { path: `/api/admin/notices/${SOME_NOTICE}`, body: { ended: true } },
  ],
  'POST /api/support-messages': [
    {
      path: '/api/support-messages',
      body: { name: 'Rita', email, phone: '(21) 98765-4321', message: 'Olá', captcha: 'x', website: '' },
    },
  ],
  'POST /api/support-messages/problem-reports': [
    {
      path: '/api/support-messages/problem-reports',
      body: { type: 'Vendas', embedMode: 'secure_sso', reportId: 'r', failure: 'Erro', requestId: 'x' },
    },
  ],
  'PATCH /api/support-messages': [
    { path: '/api/support-messages', body: { is_read: true } },
    { path: '/api/support-messages', body: { is_read: true, q: 'olá' } },
    { path: '/api/support-messages', body: { is_read: false, ids: [SOME_MESSAGE] } },
  ],
  'PATCH /api/support-messages/{id}': [
    { path: `/api/support-messages/${SOME_MESSAGE}`, body: { is_read: true } },
    { path: `/api/support-messages/${SOME_MESSAGE}`, body: { is_read: true, answered: true } },
    { path: `/api/support-messages/${SOME_MESSAGE}`, body: { is_suspect: false } },
  ],
}

/** Paths of writing routes without a body; {undoId} comes from a bulk edit. */
export const EXAMPLES_WITHOUT_BODY: Record<Exclude<WritingRouteName, RouteNameWithBody>, string> = {
  'POST /api/auth/logout': '/api/auth/logout',
  'POST /api/profiles/bulk-edit/{undoId}/undo': '/api/profiles/bulk-edit/{undoId}/undo',
  'DELETE /api/global-powerbi-settings/{type}': '/api/global-powerbi-settings/vendas',
  'POST /api/global-powerbi-settings/{type}/refresh': '/api/global-powerbi-settings/vendas/refresh',
  'DELETE /api/global-powerbi-settings/{type}/reports/{id}': `/api/global-powerbi-settings/vendas/reports/${SOME_REPORT}`,
  'DELETE /api/auth/factors/{factorId}': `/api/auth/factors/${SOME_FACTOR}`,
  'DELETE /api/auth/passkeys/{passkeyId}': `/api/auth/passkeys/${SOME_PASSKEY}`,
  'POST /api/auth/factors/recovery-codes': '/api/auth/factors/recovery-codes',
  'POST /api/auth/factors/recovery-codes/regenerate': '/api/auth/factors/recovery-codes/regenerate',
  'DELETE /api/auth/factors/recovery-codes': '/api/auth/factors/recovery-codes',
  'POST /api/auth/factors/link': '/api/auth/factors/link',
  'DELETE /api/auth/microsoft': '/api/auth/microsoft',
  'DELETE /api/sessions/me/{id}': `/api/sessions/me/${SOME_SESSION}`,
  'DELETE /api/catalogue/{kind}/{code}': '/api/catalogue/marcas/OMJA',
  'DELETE /api/access-templates/{id}': `/api/access-templates/${FREE_TEMPLATE}`,
  'DELETE /api/report-subscriptions/{id}': `/api/report-subscriptions/${SOME_SUBSCRIPTION}`,
  'POST /api/report-subscriptions/unsubscribe': '/api/report-subscriptions/unsubscribe?token=abc',
  'DELETE /api/report-views/{id}': `/api/report-views/${SOME_REPORT_VIEW}`,
  'POST /api/report-views/{id}/restore': `/api/report-views/${SOME_DELETED_VIEW}/restore`,
  'POST /api/invitations/{id}/resend': `/api/invitations/${SOME_INVITATION}/resend`,
  'DELETE /api/invitations/{id}': `/api/invitations/${SOME_INVITATION}`,
  'POST /api/notices/{id}/close': `/api/notices/${SOME_NOTICE}/close`,
  'DELETE /api/admin/notices/{id}': `/api/admin/notices/${SOME_NOTICE}`,
  'DELETE /api/support-messages/{id}': `/api/support-messages/${SOME_MESSAGE}`,
}

/** All routes of the contract. */
export const ROUTES = Object.values(routeGroups).flatMap((group) => Object.values(group))
/** Returns the key in these tables: 'GET /api/profiles/{userId}'. */
export const getRouteName = (route: Route) => `${route.method} ${route.path}` as RouteName

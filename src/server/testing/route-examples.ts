import { api } from '#contract/index.ts'
import type { Route } from '#contract/route.ts'
import { NEW_PASSWORD } from './account-calls.ts'
import { bodyFor } from './embed-token-calls.ts'
import { linkSetting, principalSetting } from './report-setting-calls.ts'

export type Body = Record<string, unknown>
export interface Example {
  path: string
  body: Body
}

const email = 'alguem@grupopatio.com.br'
/** Whom the examples name; a test that wants an effect adds a person, and a message, of these ids. */
export const SOMEBODY = '7b0c3a52-5c0e-4f5e-9d6e-0d6f3f1f2a11'
export const SOME_MESSAGE = '00000000-0000-4000-8000-000000000000'

/** Bodies that each route takes, with the path that they go to. */
export const TAKEN: Record<string, Example[]> = {
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
  'POST /api/functions/change-password': [
    { path: '/api/functions/change-password', body: { newPassword: NEW_PASSWORD } },
  ],
  'POST /api/auth/resend': [{ path: '/api/auth/resend', body: { type: 'signup', email } }],
  'POST /api/auth/verify': [{ path: '/api/auth/verify', body: { type: 'signup', token_hash: 'abc' } }],
  'POST /api/functions/verify-recaptcha': [
    { path: '/api/functions/verify-recaptcha', body: { token: 'abc' } },
  ],
  'POST /api/functions/get-powerbi-token': [
    {
      path: '/api/functions/get-powerbi-token',
      body: bodyFor('Vendas', { marcas: ['FIAT'], estados: ['RJ'], userEmail: email }),
    },
  ],
  'PATCH /api/profiles/{userId}': [
    { path: `/api/profiles/${SOMEBODY}`, body: { types: ['Vendas'] } },
    { path: `/api/profiles/${SOMEBODY}`, body: { marcas: ['FIAT'], estados: ['RJ'] } },
  ],
  'POST /api/profiles/bulk-edit': [
    { path: '/api/profiles/bulk-edit', body: { userIds: [SOMEBODY], action: 'add', types: ['Vendas'] } },
    {
      path: '/api/profiles/bulk-edit?dryRun=true',
      body: { allMatching: { filter: { q: 'a' }, except: [], count: 1 }, action: 'remove', marcas: ['FIAT'] },
    },
  ],
  'PUT /api/global-powerbi-settings/{type}': [
    { path: '/api/global-powerbi-settings/vendas', body: principalSetting('Vendas') },
    { path: '/api/global-powerbi-settings/vendas', body: linkSetting('https://app.powerbi.com/x?y=1') },
  ],
  'POST /api/global-powerbi-settings/{type}/test': [
    { path: '/api/global-powerbi-settings/vendas/test', body: principalSetting('Vendas') },
    { path: '/api/global-powerbi-settings/vendas/test', body: linkSetting('https://app.powerbi.com/x?y=1') },
  ],
  'POST /api/functions/delete-users': [
    { path: '/api/functions/delete-users', body: { userIds: [SOMEBODY] } },
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
  'PATCH /api/support-messages/{id}': [
    { path: `/api/support-messages/${SOME_MESSAGE}`, body: { is_read: true } },
  ],
}

/** The same for routes that write and have no body; {undoId} is what a bulk edit answered. */
export const TAKEN_WITHOUT_BODY: Record<string, string> = {
  'POST /api/auth/logout': '/api/auth/logout',
  'POST /api/profiles/bulk-edit/{undoId}/undo': '/api/profiles/bulk-edit/{undoId}/undo',
  'DELETE /api/global-powerbi-settings/{type}': '/api/global-powerbi-settings/vendas',
  'DELETE /api/support-messages/{id}': `/api/support-messages/${SOME_MESSAGE}`,
}

/** Every route of the contract. */
export const ROUTES = Object.values(api).flatMap((group) => Object.values<Route>(group))
/** Its name in these tables: 'GET /api/profiles/{userId}'. */
export const nameOf = (route: Route) => `${route.method} ${route.path}`

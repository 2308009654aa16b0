import { beforeEach, expect } from 'vitest'
import { getEmulatedReport, send } from './builders.ts'
import { setUpAdmin } from './set-up-portal.ts'
import type { TestPortal } from './test-portal.ts'

/** Creates the input for one of the emulator's reports, in mode 'Service Principal'. */
export function toSetting(type: string, changes: object = {}) {
  const { workspaceId, reportId, datasetId } = getEmulatedReport(type)
  const ids = { workspace_id: workspaceId, report_id: reportId, dataset_id: datasetId }
  return { embed_mode: 'service_principal', ...ids, ...changes }
}

/** Creates the input in mode 'URL Direta (SSO)'. */
export function toLinkSetting(report_url: string) {
  return { embed_mode: 'secure_sso', report_url }
}

/** Calls /global-powerbi-settings/{type}. */
export function callSetting(
  portal: TestPortal,
  token: string,
  method: 'PUT' | 'DELETE',
  type: string,
  { body, ifMatch }: { body?: unknown; ifMatch?: string | undefined } = {},
) {
  return send(portal, method, `/api/global-powerbi-settings/${type}`, {
    token,
    body,
    ...(ifMatch !== undefined && { headers: { 'if-match': `"${ifMatch}"` } }),
  })
}

/** GET /global-powerbi-settings @returns its items */
async function listSettings(portal: TestPortal, token: string) {
  return (await send(portal, 'GET', '/api/global-powerbi-settings', { token })).body.items
}

/** Tests a setting for Vendas; asserts success. */
export async function readTest(portal: TestPortal, token: string, body: unknown) {
  const reply = await sendTest(portal, token, body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body
}

/** Tests a setting for Vendas. */
export function sendTest(portal: TestPortal, token: string, body: unknown) {
  return send(portal, 'POST', '/api/global-powerbi-settings/vendas/test', { token, body })
}

interface Options {
  /** The `updated_at` that the administrator saw, or 'none'. */
  ifMatch?: string
  /** Another user's access token. */
  as?: string
}

/**
 * Resets to one administrator without report settings, before each test.
 * @returns the administrator and their calls
 */
export function setUpReportSettings(portal: TestPortal) {
  const admin = setUpAdmin(portal)
  beforeEach(async () => {
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
  })
  return {
    admin,
    save: (type: string, body: unknown, { ifMatch, as = admin.token }: Options = {}) =>
      callSetting(portal, as, 'PUT', type, { body, ifMatch }),
    remove: (type: string, { ifMatch, as = admin.token }: Options = {}) =>
      callSetting(portal, as, 'DELETE', type, { ifMatch }),
    list: () => listSettings(portal, admin.token),
  }
}

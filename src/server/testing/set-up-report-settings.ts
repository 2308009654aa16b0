import { beforeEach } from 'vitest'
import { callSetting, listSettings } from './report-setting-calls.ts'
import { setUpAdmin } from './set-up-admin.ts'
import type { TestPortal } from './test-portal.ts'

interface Circumstances {
  /** What `updated_at` was when the administrator looked, or 'none'. */
  ifMatch?: string
  /** Somebody else's access token. */
  as?: string
}

/**
 * Leaves no report settings and one administrator, before each test of a block.
 * @returns the administrator and what they do
 */
export function setUpReportSettings(portal: TestPortal) {
  const admin = setUpAdmin(portal)
  beforeEach(async () => {
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
  })
  return {
    admin,
    save: (type: string, body: unknown, { ifMatch, as = admin.token }: Circumstances = {}) =>
      callSetting(portal, as, 'PUT', type, { body, ifMatch }),
    remove: (type: string, { ifMatch, as = admin.token }: Circumstances = {}) =>
      callSetting(portal, as, 'DELETE', type, { ifMatch }),
    list: () => listSettings(portal, admin.token),
  }
}

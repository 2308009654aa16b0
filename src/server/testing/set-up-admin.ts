import { beforeEach } from 'vitest'
import { type Admin, openAdmin, removeEverybody } from './admin-calls.ts'
import type { TestPortal } from './test-portal.ts'

/**
 * Leaves nobody in the portal but a new administrator, before each test of a block.
 * @param profile what differs from an ordinary administrator
 * @returns the administrator of the test that runs
 */
export function setUpAdmin(portal: TestPortal, profile: Parameters<typeof openAdmin>[1] = {}): Admin {
  const admin = {} as Admin
  beforeEach(async () => {
    await removeEverybody(portal)
    Object.assign(admin, await openAdmin(portal, profile))
  })
  return admin
}

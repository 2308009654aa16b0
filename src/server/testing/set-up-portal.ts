import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Admin, openAdmin, removeAllPeople } from './admin-calls.ts'
import { type Directory, startDirectory } from './directory-calls.ts'
import { startTestPortal, type TestPortal, type TestPortalOptions } from './test-portal.ts'

/**
 * Starts a portal before a block's tests and stops it after them.
 * @returns the portal, empty until the block runs
 */
export function setUpPortal(options: TestPortalOptions): TestPortal {
  const portal = {} as TestPortal
  beforeAll(async () => {
    Object.assign(portal, await startTestPortal(options))
  })
  afterAll(() => portal.stop())
  return portal
}

/**
 * Starts the emulated directory, and a portal that knows it, as setUpPortal does.
 * @param timeoutSeconds how long the portal waits for the directory
 */
export function setUpDirectory(kind: TestPortalOptions['kind'], timeoutSeconds?: number) {
  const directory = {} as Directory
  const portal = {} as TestPortal
  beforeAll(async () => {
    Object.assign(directory, await startDirectory(timeoutSeconds))
    Object.assign(portal, await startTestPortal({ kind, microsoft: directory.createClient() }))
  })
  afterAll(async () => {
    await portal.stop()
    await directory.stop()
  })
  return { directory, portal }
}

/**
 * Resets to one new administrator, before each test.
 * @param profile overrides of the default values
 * @returns the administrator of the current test
 */
export function setUpAdmin(portal: TestPortal, profile: Parameters<typeof openAdmin>[1] = {}): Admin {
  const admin = {} as Admin
  beforeEach(async () => {
    await removeAllPeople(portal)
    Object.assign(admin, await openAdmin(portal, profile))
  })
  return admin
}

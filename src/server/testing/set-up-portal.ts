import { afterAll, beforeAll } from 'vitest'
import { startTestPortal, type TestPortal, type TestPortalOptions } from './test-portal.ts'

/**
 * Starts a portal before a block's tests and stops it after them.
 * @returns the portal, for hooks and tests: it is empty until the block runs
 */
export function setUpPortal(options: TestPortalOptions): TestPortal {
  const portal = {} as TestPortal
  beforeAll(async () => {
    Object.assign(portal, await startTestPortal(options))
  })
  afterAll(() => portal.stop())
  return portal
}

import { FIRST_PORT } from './paths.ts'
import type { CleanUp } from './run-task.ts'
import { type StartedPortal, startPortal } from './start-portal.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * Starts a portal on PostgreSQL that turns nobody away at its sign-in screens, however often they ask: no limits, and
 * a human check that is solved at once. It is stopped when the run ends.
 */
export async function startForSignIns(databaseUrl: string, cleanUp: CleanUp): Promise<StartedPortal> {
  const portal = await startPortal(FIRST_PORT, {
    DATABASE_URL: databaseUrl,
    DATA_DIR: temporaryFolder(cleanUp),
    RATE_LIMITS: 'off',
    ALTCHA_COST: '1',
  })
  cleanUp(portal.stop)
  return portal
}

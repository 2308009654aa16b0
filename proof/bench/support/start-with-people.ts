import { openEmbedded } from '#server/database/open-embedded.ts'
import { openServer } from '#server/database/open-server.ts'
import { addPeople } from './add-people.ts'
import { createDatabase } from './open-postgres.ts'
import { FIRST_PORT } from './paths.ts'
import { type CleanUp, say } from './run-task.ts'
import { type StartedPortal, startPortal } from './start-portal.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * Starts a portal with so many people besides those of the demo; it is stopped when the run ends.
 * @param server URL of a PostgreSQL server on which it gets a database of its own; undefined for the embedded one
 */
export async function startWithPeople(
  people: number,
  server: string | undefined,
  cleanUp: CleanUp,
): Promise<StartedPortal> {
  const DATA_DIR = temporaryFolder(cleanUp)
  const databaseUrl = server && (await createDatabase(server, `people_${people}`, cleanUp))
  const env = {
    DATA_DIR,
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  // The first start migrates and seeds; the embedded database then has to be free.
  await (await startPortal(FIRST_PORT, env)).stop()
  say(`adding ${people} people (${databaseUrl ? 'PostgreSQL' : 'embedded'})`)
  const { db, close } = databaseUrl ? await openServer(databaseUrl, () => {}) : await openEmbedded(DATA_DIR)
  await addPeople(db, people).finally(close)
  const portal = await startPortal(FIRST_PORT, env)
  cleanUp(portal.stop)
  return portal
}

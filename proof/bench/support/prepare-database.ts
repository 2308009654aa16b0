import { createDatabase, openPostgres } from './open-postgres.ts'
import type { CleanUp } from './run-task.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * An empty database on PostgreSQL and an empty data directory; both go when the run ends.
 * @returns the two as a portal's environment
 */
export async function prepareDatabase(
  name: string,
  cleanUp: CleanUp,
): Promise<{ DATABASE_URL: string; DATA_DIR: string }> {
  const DATABASE_URL = await createDatabase(await openPostgres(cleanUp), name, cleanUp)
  return { DATABASE_URL, DATA_DIR: temporaryFolder(cleanUp) }
}

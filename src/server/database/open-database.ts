import type { Log } from '#server/log.ts'
import type { Database } from './database.ts'

/**
 * Opens the database that the configuration names: a PostgreSQL server, or the embedded one.
 * @throws DatabaseOpenError
 */
export async function openDatabase(
  config: { databaseUrl: string | undefined; databaseDirectUrl?: string | undefined; dataDir: string },
  log: Log,
): Promise<Database> {
  // Only the driver that is used is loaded: the other would double the time to start.
  if (config.databaseUrl) {
    const { openServer } = await import('./open-server.ts')
    return openServer({
      url: config.databaseUrl,
      directUrl: config.databaseDirectUrl,
      onConnectionError: (error) => log.warn({ err: error }, 'database connection lost'),
    })
  }
  const { openEmbedded } = await import('./open-embedded.ts')
  return openEmbedded(config.dataDir, log)
}

import type { Log } from '#server/log.ts'
import type { Database } from './database.ts'

/**
 * Opens the configured database: a PostgreSQL server, or the embedded one.
 * @param isPatient with the longer time-outs of the doctor
 * @throws DatabaseOpenError
 */
export async function openDatabase(
  config: { databaseUrl: string | undefined; databaseDirectUrl?: string | undefined; dataDir: string },
  log: Log,
  isPatient = false,
): Promise<Database> {
  // Loads only the driver in use: the other would double the start-up time.
  if (config.databaseUrl) {
    const { openServer } = await import('./open-server.ts')
    return openServer({
      url: config.databaseUrl,
      directUrl: config.databaseDirectUrl,
      isPatient,
      onConnectionError: (error) => log.warn({ err: error }, 'database connection lost'),
    })
  }
  const { openEmbedded } = await import('./open-embedded.ts')
  return openEmbedded(config.dataDir, log)
}

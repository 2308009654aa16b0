import type { Config } from '#server/config.ts'
import { type Database, DatabaseOpenError } from '#server/database/database.ts'
import { migrateDatabase } from '#server/database/migrate.ts'
import { openDatabase } from '#server/database/open-database.ts'
import { isMarkedAsDemo } from '#server/demo/demo-mark.ts'
import type { Log } from '#server/log.ts'
import { ADMIN_COMMANDS, ADMIN_USAGE } from './admin-commands.ts'
import { AdminError } from './admin-error.ts'

/**
 * Runs one command on the configured database.
 * @param args what stands behind `npm run admin --`
 * @returns what is printed
 * @throws AdminError, DatabaseOpenError
 */
export async function runAdmin(config: Config, log: Log, args: string[]): Promise<string> {
  const [name = '', email = '', ...rest] = args
  const command = Object.hasOwn(ADMIN_COMMANDS, name) ? ADMIN_COMMANDS[name] : undefined
  if (!command || rest.length > 0 || (name === 'list') !== (email === '')) throw new AdminError(ADMIN_USAGE)
  const database = await open(config, log)
  try {
    await migrateDatabase(database)
    if (config.isDemo && !(await isMarkedAsDemo(database.db)))
      throw new AdminError('A demonstração ainda não foi preparada. Rode npm start uma vez antes.')
    return await command({ ...config, db: database.db, clock: Date.now }, email)
  } finally {
    await database.close()
  }
}

async function open(config: Config, log: Log): Promise<Database> {
  try {
    return await openDatabase(config, log)
  } catch (error) {
    if (!(error instanceof DatabaseOpenError) || config.databaseUrl) throw error
    throw new AdminError(
      `${error.message}\nO banco embutido é de um processo só: pare o portal e tente de novo.`,
    )
  }
}

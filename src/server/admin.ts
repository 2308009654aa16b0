import { type Config, ConfigError, readConfig } from './config.ts'
import { type Database, DatabaseOpenError } from './database/database.ts'
import { startDatabaseClock } from './database/database-clock.ts'
import { migrateDatabase } from './database/migrate.ts'
import { openDatabase } from './database/open-database.ts'
import { isMarkedAsDemo } from './demo/demo-installation.ts'
import { createLog, type Log } from './log.ts'
import { ADMIN_COMMANDS, AdminError, createCliRequest, formatUsage } from './operations/admin-commands.ts'
import { formatCommand } from './version.ts'

/**
 * Runs one command on the configured database.
 * @param args arguments of `npm run admin --`
 * @returns the output
 * @throws AdminError, DatabaseOpenError
 */
async function runAdmin(config: Config, log: Log, args: string[]): Promise<string> {
  const [name = '', email = '', ...rest] = args
  const command = Object.hasOwn(ADMIN_COMMANDS, name) ? ADMIN_COMMANDS[name] : undefined
  if (!command || rest.length > 0 || (name === 'list') !== (email === ''))
    throw new AdminError(formatUsage(formatCommand('admin')))
  const database = await open(config, log)
  try {
    await migrateDatabase(database)
    if (config.isDemo && !(await isMarkedAsDemo(database.db)))
      throw new AdminError('A demonstração ainda não foi preparada. Rode npm start uma vez antes.')
    const { now: clock, stop } = await startDatabaseClock(database)
    stop()
    return await command({ ...config, db: database.db, clock, request: createCliRequest() }, email)
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

/** Formats errors that the operator can fix as their message, others with their stack. */
function explain(error: unknown): string {
  const isReadable =
    error instanceof AdminError || error instanceof ConfigError || error instanceof DatabaseOpenError
  if (isReadable) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

// Files are accessible to the process's user only.
process.umask(0o077)
try {
  const config = readConfig(process.env)
  const output = await runAdmin(config, createLog('warn'), process.argv.slice(2))
  process.stdout.write(`${output}\n`)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}

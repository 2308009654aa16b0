import { ConfigError, readConfig } from './config.ts'
import { DatabaseOpenError } from './database/database.ts'
import { createLog } from './log.ts'
import { AdminError } from './operations/admin-error.ts'
import { runAdmin } from './operations/run-admin.ts'

/** What the person at the terminal can mend is told in words; everything else is a fault with its stack. */
function explain(error: unknown): string {
  const isReadable =
    error instanceof AdminError || error instanceof ConfigError || error instanceof DatabaseOpenError
  if (isReadable) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

try {
  const config = readConfig(process.env)
  const said = await runAdmin(config, createLog('warn'), process.argv.slice(2))
  process.stdout.write(`${said}\n`)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}

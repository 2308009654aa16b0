// `npm run admin -- …`, on the configured database.

import { migrateDatabase } from './database/migrate.ts'
import { isMarkedAsDemo } from './demo/demo-installation.ts'
import { ADMIN_COMMANDS, AdminError, formatUsage } from './operations/admin-commands.ts'
import { createCliContext, runOperatorCommand, withDatabase } from './operator-command.ts'
import { formatCommand } from './version.ts'

// Files are accessible to the process's user only.
process.umask(0o077)
await runOperatorCommand(
  formatUsage(formatCommand('admin')),
  async (config, [name = '', email = '', ...rest]) => {
    const command = Object.hasOwn(ADMIN_COMMANDS, name) ? ADMIN_COMMANDS[name] : undefined
    if (!command || rest.length > 0 || (name === 'list') !== (email === '')) return undefined
    return withDatabase(config, async (database) => {
      await migrateDatabase(database)
      if (config.isDemo && !(await isMarkedAsDemo(database.db)))
        throw new AdminError('A demonstração ainda não foi preparada. Rode npm start uma vez antes.')
      return command({ ...config, ...(await createCliContext(database, 'admin')) }, email)
    })
  },
)

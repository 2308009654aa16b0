// `npm run admin -- COMMAND EMAIL`: creates, lists and changes administrators on the configured database.

import { installDependencies } from './install-dependencies.mjs'
import { failWith, pinnedNode, runCommand } from './run-command.mjs'

try {
  await installDependencies()
  const { status } = await runCommand(pinnedNode(), ['src/server/admin.ts', ...process.argv.slice(2)])
  process.exitCode = status
} catch (error) {
  failWith(error)
}

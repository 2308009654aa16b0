// `npm run admin -- COMMAND EMAIL`: creates, lists and changes administrators on the configured database.
import { failWith } from './fail-with.mjs'
import { installDependencies } from './install-dependencies.mjs'
import { pinnedNode } from './pinned-node.mjs'
import { runCommand } from './run-command.mjs'

try {
  await installDependencies()
  const { status } = await runCommand(pinnedNode(), ['src/server/admin.ts', ...process.argv.slice(2)])
  process.exitCode = status
} catch (error) {
  failWith(error)
}

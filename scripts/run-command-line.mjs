// `node scripts/run-command-line.mjs FILE [ARGUMENTS]`: runs one of the server's own commands, which need no built page,
// under the pinned Node, after installing what is missing.
import { installDependencies } from './install-dependencies.mjs'
import { failWith, pinnedNode, runCommand } from './run-command.mjs'

try {
  await installDependencies()
  const { status } = await runCommand(pinnedNode(), process.argv.slice(2))
  process.exitCode = status
} catch (error) {
  failWith(error)
}

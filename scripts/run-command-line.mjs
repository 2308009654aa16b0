// `node scripts/run-command-line.mjs FILE [ARGUMENTS]`: runs one of the server's own commands,
// without building the page, under the pinned Node, after installing missing packages.
import { installDependencies } from './install-dependencies.mjs'
import { failWith, findNode, runCommand } from './run-command.mjs'

try {
  await installDependencies()
  const { status } = await runCommand(findNode(), process.argv.slice(2))
  process.exitCode = status
} catch (error) {
  failWith(error)
}

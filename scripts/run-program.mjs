// `node scripts/run-program.mjs FILE [ARGUMENTS]`: runs one of the project's
// programs under the pinned Node, after installing and building if necessary.
import { buildStale, reportPage, webApp } from './build-stale.mjs'
import { installDependencies } from './install-dependencies.mjs'
import { failWith, findNode, runCommand } from './run-command.mjs'

try {
  await installDependencies()
  await buildStale([webApp, reportPage])
  const { status } = await runCommand(findNode(), process.argv.slice(2))
  process.exitCode = status
} catch (error) {
  failWith(error)
}

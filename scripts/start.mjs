// `npm start`: installs missing packages, builds what is stale and runs the server until it ends.
// Plain JavaScript for Node >= 20; the server itself runs on the Node that the project pins.
import { buildStale, reportPage, webApp } from './build-stale.mjs'
import { installDependencies } from './install-dependencies.mjs'
import {
  compileCache,
  failWith,
  findNode,
  runCommand,
  serverEnvironment,
  serverFlags,
} from './run-command.mjs'

const isProduction = process.env.NODE_ENV === 'production'

try {
  await installDependencies()
  // Production serves nothing of the demo, so its page is not built.
  await buildStale(isProduction ? [webApp] : [webApp, reportPage])
  const env = { NODE_COMPILE_CACHE: compileCache, ...serverEnvironment, ...process.env }
  const { status } = await runCommand(findNode(), [...serverFlags, 'src/server/main.ts'], { env })
  process.exitCode = status
} catch (error) {
  failWith(error)
}

// `npm run build`: builds the browser's files if stale.
import { buildStale, reportPage, webApp } from './build-stale.mjs'
import { installDependencies } from './install-dependencies.mjs'
import { failWith } from './run-command.mjs'

try {
  await installDependencies()
  await buildStale([webApp, reportPage])
} catch (error) {
  failWith(error)
}

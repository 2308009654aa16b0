// `npm run build`: everything that the browser gets, if stale.
import { buildStale, reportPage, webApp } from './build-stale.mjs'
import { failWith } from './fail-with.mjs'
import { installDependencies } from './install-dependencies.mjs'

try {
  await installDependencies()
  await buildStale([webApp, reportPage])
} catch (error) {
  failWith(error)
}

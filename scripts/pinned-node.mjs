// The Node that the project pins (the `node` package) and the environment in which its tools run.
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from './run-command.mjs'

const pinnedMajor = 24
const binaries = join(root, 'node_modules', '.bin')

/** Whether the Node that runs this very script is as new as the pinned one. */
const isRunningNodeNewEnough = Number(process.versions.node.split('.')[0]) >= pinnedMajor

/** Where the `node` package puts its binary. */
export const pinnedBinary = join(
  root,
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)

/**
 * @returns {string} path of the Node that runs the product and its tools
 * @throws {Error} when neither the pinned one nor a running one that is new enough is there
 */
export function pinnedNode() {
  if (existsSync(pinnedBinary)) return pinnedBinary
  if (isRunningNodeNewEnough && existsSync(process.execPath)) return process.execPath
  throw new Error(
    `Falta o Node ${pinnedMajor} em node_modules/node. Apague a pasta node_modules e tente de novo, ou use um Node ${pinnedMajor}.`,
  )
}

/**
 * @param {NodeJS.ProcessEnv} [extra]
 * @returns {NodeJS.ProcessEnv} this environment with the project's tools and its Node first in PATH
 */
export const toolEnvironment = (extra = {}) => ({
  ...process.env,
  PATH: [binaries, dirname(pinnedNode()), process.env.PATH].join(delimiter),
  ...extra,
})

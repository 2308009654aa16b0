// Runs one command under the Node that the project pins (the `node`
// package), forwards signals to it and reports how it ended.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project folder, without a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

const pinnedMajor = 24
const binaries = join(root, 'node_modules', '.bin')
const forwarded = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/** @type {NodeJS.Signals | undefined} */
let interruption

/** @returns {NodeJS.Signals | undefined} the signal that interrupted the running command, if any */
export const getInterruption = () => interruption

/** @param {string} text one line to print */
export const say = (text) => process.stdout.write(`${text}\n`)

/**
 * Returns the exit status as a shell does: the exit code, or 128 + the signal's number.
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 * @returns {number}
 */
export const toExitStatus = (code, signal) => code ?? 128 + (signal ? constants.signals[signal] : 0)

/**
 * @typedef {object} Output
 * @property {number} status exit code, 128 + n for a signal, 127 when the command cannot be started
 * @property {string} output captured output, with `capture`
 */

/**
 * Runs a command in the project folder and waits for its end. Forwards signals received
 * meanwhile, so that the command decides how it ends; this process stays until then.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, capture?: boolean, abort?: AbortSignal }} [options]
 * @returns {Promise<Output>} never rejects; `abort` ends the command with SIGTERM
 */
export function runCommand(command, args, { env = process.env, cwd = root, capture = false, abort } = {}) {
  // After an interruption nothing new is started.
  if (interruption) return Promise.resolve({ status: toExitStatus(null, interruption), output: '' })
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
    const stopForwarding = forwardSignals(child)
    const end = () => child.kill('SIGTERM')
    abort?.addEventListener('abort', end)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk) => {
        output += chunk
      })
    }
    /** @param {number} status */
    const finish = (status) => {
      abort?.removeEventListener('abort', end)
      stopForwarding()
      resolve({ status, output })
    }
    child.once('error', (error) => {
      output += error.message
      finish(127)
    })
    child.once('close', (code, signal) => finish(toExitStatus(code, signal)))
  })
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => void} removes the handlers
 */
function forwardSignals(child) {
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    interruption = signal
    // A terminal has already sent Ctrl+C to the whole group; a second one could force the exit.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of forwarded) process.on(signal, forward)
  const watch = watchForOrphaning(() => forward('SIGTERM'))
  return () => {
    clearInterval(watch)
    for (const signal of forwarded) process.off(signal, forward)
  }
}

/**
 * Detects a killed npm, which forwards no signal and whose server would keep the port. Without
 * npm in between, losing the parent is how a program is left running in the background.
 * @param {() => void} onOrphaned
 */
function watchForOrphaning(onOrphaned) {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    onOrphaned()
  }, 500)
  return watch.unref()
}

/** Whether the Node that runs this script is as new as the pinned one. */
const isRunningNodeNewEnough = Number(process.versions.node.split('.')[0]) >= pinnedMajor

/** Where the `node` package installs its binary. */
export const pinnedBinary = join(
  root,
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)

/**
 * @returns {string} path of the Node that runs the product and its tools
 * @throws {Error} when there is neither the pinned Node nor a new enough running one
 */
export function findNode() {
  if (existsSync(pinnedBinary)) return pinnedBinary
  if (isRunningNodeNewEnough && existsSync(process.execPath)) return process.execPath
  throw new Error(
    `Falta o Node ${pinnedMajor} em node_modules/node. Apague a pasta node_modules e tente de novo, ou use um Node ${pinnedMajor}.`,
  )
}

/** Node's compile cache. */
export const compileCache = join(root, 'node_modules', '.cache', 'node')

/**
 * @param {NodeJS.ProcessEnv} [extra]
 * @returns {NodeJS.ProcessEnv} this environment with the project's tools and its Node first in PATH
 */
export const getToolEnv = (extra = {}) => ({
  ...process.env,
  PATH: [binaries, dirname(findNode()), process.env.PATH].join(delimiter),
  NODE_COMPILE_CACHE: compileCache,
  ...extra,
})

/**
 * Flags of the server's Node. With a young generation of 16 MB instead
 * of 2 MB, a page of 100 people is a third faster, for some 30 MB; the
 * live heap is about 35 MB. It begins at 4 MB, since growing from 1 MB
 * copies what the start loads: 50 ms. Without symlinks, modules resolve
 * faster.
 */
export const serverFlags = [
  '--max-semi-space-size=16',
  '--min-semi-space-size=4',
  '--max-old-space-size=384',
  '--preserve-symlinks',
  '--preserve-symlinks-main',
]

/**
 * Environment of the server. Otherwise glibc raises this threshold dynamically and keeps some 12 MB
 * that V8's compiler has freed. Measured in turns, a request takes the same processor time either way.
 */
export const serverEnvironment = { MALLOC_TRIM_THRESHOLD_: String(1024 * 1024) }

/** @returns {number} exit code of a failure: 1, or 128 + n after a signal */
export const getFailureStatus = () => (getInterruption() ? toExitStatus(null, getInterruption() ?? null) : 1)

/**
 * Prints what went wrong and sets the exit code.
 * @param {unknown} error
 */
export function failWith(error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = getFailureStatus()
}

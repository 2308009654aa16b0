// Installs the packages of package-lock.json, including the pinned Node.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashFiles } from './build-stale.mjs'
import { findNode, getInterruption, getToolEnv, pinnedBinary, root, runCommand, say } from './run-command.mjs'

const modules = join(root, 'node_modules')
const stampFile = join(modules, '.patio-installed')
/** Outside of node_modules, which npm empties; remains when an install is killed. */
const unfinishedFile = join(root, '.cache', 'install-unfinished')

/** Includes the platform: the same folder may be mounted into a container. */
const wantedStamp = () => `${hashFiles(root, ['package-lock.json'])} ${process.platform}-${process.arch}\n`

/** @returns {boolean} whether the last install completed for this package-lock.json */
export function isInstalled() {
  if (existsSync(unfinishedFile) || !existsSync(stampFile)) return false
  return readFileSync(stampFile, 'utf8') === wantedStamp()
}

/**
 * Installs the dependencies unless they are up to date.
 * @throws {Error} with npm's own output when the install fails
 */
export async function installDependencies() {
  if (isInstalled()) return
  say('Instalando dependências…')
  const isClean = existsSync(unfinishedFile) || !existsSync(join(modules, '.package-lock.json'))
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(unfinishedFile, '')
  await (isClean ? installAll() : runNpm(['install', '--no-save']))
  await completeUnderPinnedNode()
  writeFileSync(stampFile, wantedStamp())
  rmSync(unfinishedFile)
}

async function installAll() {
  rmSync(modules, { recursive: true, force: true })
  // `npm ci` refuses a lock file without optional packages of other platforms, as npm writes it for some
  // registries. `npm install --no-save` installs the same locked versions and keeps the lock file.
  await runNpm(['ci']).catch(() => runNpm(['install', '--no-save']))
}

/**
 * npm omits optional packages (such as native parts of the bundler) that the running
 * Node is too old for, and the pinned Node is itself a dependency. So the first pass
 * installs that Node, and the second pass under it completes the tree in about a second.
 */
async function completeUnderPinnedNode() {
  await ensurePinnedNode()
  await runNpm(['install', '--no-save'], getToolEnv())
  // An npm that runs no install scripts has just restored the package without its binary.
  await ensurePinnedNode()
}

/**
 * Downloads the pinned Node by its package's own install script, for an npm that runs none. One that
 * does not run here (it requires glibc) is removed, so that a new enough running Node is used instead.
 * @throws {Error} when there is no suitable Node
 */
async function ensurePinnedNode() {
  if (!existsSync(pinnedBinary)) {
    const cwd = join(modules, 'node')
    // By name: the running Node may be the pinned one that npm has just removed.
    await runCommand('node', ['installArchSpecificPackage.js'], { cwd, capture: true })
  }
  const { status } = await runCommand(pinnedBinary, ['--version'], { capture: true })
  if (getInterruption()) throw new Error('Instalação interrompida.')
  if (status !== 0) rmSync(pinnedBinary, { force: true })
  findNode()
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @throws {Error} when npm fails or a signal arrives
 */
async function runNpm(args, env = process.env) {
  // The bundler and the tests are development dependencies, which NODE_ENV=production would omit.
  const { status, output } = await runCommand('npm', [...args, '--include=dev', '--include=optional'], {
    env,
    capture: true,
  })
  if (getInterruption()) throw new Error('Instalação interrompida.')
  if (status !== 0) throw new Error(`A instalação das dependências falhou.\n${output}`)
}

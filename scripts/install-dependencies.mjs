// Brings node_modules to what package-lock.json says, and the pinned Node with it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashFiles } from './build-stale.mjs'
import {
  interruptedBy,
  pinnedBinary,
  pinnedNode,
  root,
  runCommand,
  say,
  toolEnvironment,
} from './run-command.mjs'

const modules = join(root, 'node_modules')
const stampFile = join(modules, '.patio-installed')
/** Lies outside node_modules, which npm empties, and stays behind when an install is killed. */
const unfinishedFile = join(root, '.cache', 'install-unfinished')

/** The platform belongs to it: the same folder may be mounted into a container. */
const wantedStamp = () => `${hashFiles(root, ['package-lock.json'])} ${process.platform}-${process.arch}\n`

/** @returns {boolean} whether the last install finished and was for this package-lock.json */
export function isInstalled() {
  if (existsSync(unfinishedFile) || !existsSync(stampFile)) return false
  return readFileSync(stampFile, 'utf8') === wantedStamp()
}

/**
 * Installs what is missing; returns at once when nothing is.
 * @throws {Error} with npm's own output when the install fails
 */
export async function installDependencies() {
  if (isInstalled()) return
  say('Instalando dependências…')
  const isClean = existsSync(unfinishedFile) || !existsSync(join(modules, '.package-lock.json'))
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(unfinishedFile, '')
  await (isClean ? installFromNothing() : runNpm(['install', '--no-save']))
  await completeUnderPinnedNode()
  writeFileSync(stampFile, wantedStamp())
  rmSync(unfinishedFile)
}

async function installFromNothing() {
  rmSync(modules, { recursive: true, force: true })
  // `npm ci` refuses a lock file that lacks optional packages of other platforms, which npm writes behind a registry
  // that does not carry them. `npm install --no-save` takes the same locked versions and leaves the lock file alone.
  await runNpm(['ci']).catch(() => runNpm(['install', '--no-save']))
}

/**
 * npm leaves out an optional package (a native part of the bundler, say) when the running Node is too old for it, and
 * the pinned Node is itself a dependency. So the first pass brings that Node, and a second one under it completes
 * the tree; the second takes about a second, because all the rest is there.
 */
async function completeUnderPinnedNode() {
  await ensurePinnedNode()
  await runNpm(['install', '--no-save'], toolEnvironment())
  // An npm that runs no install scripts has just put the package back as it was published, without its binary.
  await ensurePinnedNode()
}

/**
 * Fetches the pinned Node as its package's own install script does, for an npm that was told not to run those. One
 * that does not run here (it wants glibc) is removed, so that a running Node that is new enough can stand in.
 * @throws {Error} when there is no Node that will do
 */
async function ensurePinnedNode() {
  if (!existsSync(pinnedBinary)) {
    const cwd = join(modules, 'node')
    // By name: the Node that runs this script may be the pinned one that npm has just removed.
    await runCommand('node', ['installArchSpecificPackage.js'], { cwd, capture: true })
  }
  const { status } = await runCommand(pinnedBinary, ['--version'], { capture: true })
  if (interruptedBy()) throw new Error('Instalação interrompida.')
  if (status !== 0) rmSync(pinnedBinary, { force: true })
  pinnedNode()
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @throws {Error} when npm fails or a signal came
 */
async function runNpm(args, env = process.env) {
  // The bundler and the tests are development dependencies, which NODE_ENV=production would leave out.
  const { status, output } = await runCommand('npm', [...args, '--include=dev', '--include=optional'], {
    env,
    capture: true,
  })
  if (interruptedBy()) throw new Error('Instalação interrompida.')
  if (status !== 0) throw new Error(`A instalação das dependências falhou.\n${output}`)
}

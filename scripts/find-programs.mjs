// Finds the Chromium for browser tests, and PostgreSQL server programs for a temporary cluster.
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findNode, getToolEnv, runCommand, say } from './run-command.mjs'

const browserNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Debian's headless engine renders unlike a real browser: only used when there is none. */
const headlessShell = '/usr/lib/chromium/chromium-headless-shell'
const macApps = ['Google Chrome', 'Chromium'].map((name) => `Applications/${name}.app/Contents/MacOS/${name}`)
const downloadLimitMs = 5 * 60_000
const minPostgresMajor = 15

/**
 * @param {string} path
 * @returns {boolean} whether it is an executable file
 */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * @param {string} [path] a PATH variable
 * @returns {string[]} its folders, in order
 */
const listPathFolders = (path = process.env.PATH ?? '') => path.split(delimiter).filter(Boolean)

/**
 * @param {string} name
 * @param {string} [path] a PATH variable
 * @returns {string | undefined} the first such program
 */
export const findOnPath = (name, path) =>
  listPathFolders(path)
    .map((folder) => join(folder, name))
    .find(isExecutable)

/**
 * Installs Debian packages where apt-get is available: as root, or through sudo without a password.
 * @param {readonly string[]} names
 */
async function installSystemPackages(names) {
  if (names.length === 0 || !findOnPath('apt-get')) return
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  /** @param {string[]} args */
  const run = async (...args) => {
    const [command = '', ...rest] = [...prefix, ...args]
    return (await runCommand(command, rest, { env, capture: true })).status === 0
  }
  if (!(await run('true'))) return
  say(`Instalando do sistema: ${names.join(', ')}…`)
  // Package lists may be partly unreachable while the package itself is available.
  await run('apt-get', 'update')
  // Installed packages must not change: no upgrade.
  const install = ['apt-get', 'install', '-y', '--no-upgrade', '--no-install-recommends']
  // One unknown package would make the installation of all fail.
  if (!(await run(...install, ...names))) for (const name of names) await run(...install, name)
}

/**
 * In CI, installs programs that tests would otherwise skip or
 * be slower without; does nothing elsewhere.
 */
export async function installTestPrograms() {
  const { CI, TEST_DATABASE_URL, CHROMIUM_PATH } = process.env
  if (CI !== 'true') return
  await installSystemPackages([
    ...(TEST_DATABASE_URL || (await findPostgres()) ? [] : ['postgresql']),
    ...(findOnPath('promtool') ? [] : ['prometheus']),
    ...(CHROMIUM_PATH || listInstalledBrowsers().length > 0 ? [] : ['chromium']),
    ...(findFirefox() ? [] : ['firefox-esr']),
    ...(findWebKit() ? [] : ['webkit2gtk-driver', 'xvfb']),
  ])
}

/**
 * @param {{ path?: string, home?: string }} [where]
 * @returns {string[]} candidate browsers, best first
 */
export function listInstalledBrowsers({ path, home = homedir() } = {}) {
  const fixed = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/snap/bin/chromium']
  const onPath = browserNames.map((name) => findOnPath(name, path)).filter((found) => found !== undefined)
  const apps = macApps.flatMap((app) => [`/${app}`, join(home, app)])
  return [...new Set([...fixed, ...onPath, ...apps])].filter(isExecutable)
}

/**
 * Finds a Chromium that runs, or installs one: Playwright's build first, else the system's package.
 * @returns {Promise<string>} its path
 * @throws {Error} when none exists and none can be installed, or when CHROMIUM_PATH names none
 */
export async function ensureChromium() {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen) {
    if (await canRun(chosen)) return chosen
    throw new Error(`CHROMIUM_PATH=${chosen} não é um navegador que rode.`)
  }
  const ready = await findRunning([...listInstalledBrowsers(), await downloadedBrowser(), headlessShell])
  const found = ready ?? (await downloadBrowser()) ?? (await installSystemBrowser())
  if (found) return found
  throw new Error('Nenhum Chromium encontrado nem instalável. Instale um e aponte CHROMIUM_PATH para ele.')
}

async function downloadBrowser() {
  say('Baixando o Chromium do Playwright…')
  await runCommand('playwright', ['install', 'chromium'], {
    env: getToolEnv(),
    capture: true,
    abort: AbortSignal.timeout(downloadLimitMs),
  })
  // A fresh machine may lack the libraries of this build, which then does not run.
  return findRunning([await downloadedBrowser()])
}

async function installSystemBrowser() {
  await installSystemPackages(['chromium'])
  return findRunning(listInstalledBrowsers())
}

/** @returns {Promise<string>} where Playwright installs its own Chromium; '' if unknown */
async function downloadedBrowser() {
  const program = "process.stdout.write(require('playwright-core').chromium.executablePath())"
  const { status, output } = await runCommand(findNode(), ['--eval', program], { capture: true })
  return status === 0 ? output : ''
}

/** @param {readonly string[]} paths */
async function findRunning(paths) {
  for (const path of paths) if (await canRun(path)) return path
}

/** @param {string} path */
const canRun = async (path) =>
  isExecutable(path) &&
  (await runCommand(path, ['--version'], { capture: true, abort: AbortSignal.timeout(20_000) })).status === 0

/**
 * @param {string} parent folder with one subfolder per version
 * @param {RegExp} name
 * @returns {string[]} the `bin` folders below it, newest version first
 */
export function listVersions(parent, name) {
  try {
    const folders = readdirSync(parent).filter((folder) => name.test(folder))
    return folders.sort((a, b) => toVersion(b) - toVersion(a)).map((folder) => join(parent, folder, 'bin'))
  } catch {
    return []
  }
}

/** @param {string} text */
const toVersion = (text) => Number(text.match(/\d+/)?.[0] ?? 0)

/** @param {string} folder */
const hasServer = (folder) => ['initdb', 'postgres'].every((program) => isExecutable(join(folder, program)))

/** @returns {string[]} folders with a PostgreSQL server, that of PATH first, then newest first */
export function listPostgresFolders() {
  const folders = [
    ...listPathFolders(),
    ...listVersions('/usr/lib/postgresql', /^\d+$/),
    ...listVersions('/opt/homebrew/opt', /^postgresql(@\d+)?$/),
    ...listVersions('/usr/local/opt', /^postgresql(@\d+)?$/),
    ...listVersions('/Applications/Postgres.app/Contents/Versions', /^\d+$/),
  ]
  return [...new Set(folders)].filter(hasServer)
}

/** @returns {Promise<string | undefined>} folder of a PostgreSQL server, version 15 or later */
export async function findPostgres() {
  for (const folder of listPostgresFolders()) {
    const { output } = await runCommand(join(folder, 'postgres'), ['--version'], { capture: true })
    if (toVersion(output) >= minPostgresMajor) return folder
  }
}

/** @returns {string | undefined} the program that tests alert rules */
export const findPromtool = () => findOnPath('promtool')

/** @returns {string | undefined} Firefox, which includes its own driver */
export const findFirefox = () => findOnPath('firefox-esr') ?? findOnPath('firefox')

/** @returns {boolean} whether WebKitGTK can be driven here, on a virtual screen */
export const findWebKit = () => ['WebKitWebDriver', 'Xvfb'].every((name) => findOnPath(name))

/** @returns {string | undefined} PgBouncer, which distributions install for root only */
export const findPgBouncer = () =>
  findOnPath('pgbouncer', [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter))

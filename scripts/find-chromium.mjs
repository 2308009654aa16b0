// The Chromium that the browser tests drive.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findOnPath, isExecutable } from './find-executable.mjs'
import { installSystemPackage } from './install-system-package.mjs'
import { pinnedNode, toolEnvironment } from './pinned-node.mjs'
import { runCommand, say } from './run-command.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const macApps = ['Google Chrome', 'Chromium'].map((name) => `Applications/${name}.app/Contents/MacOS/${name}`)
const downloadLimitMs = 5 * 60_000

/**
 * @param {{ path?: string, home?: string }} [where]
 * @returns {string[]} installed browsers that could do, best first
 */
export function listInstalledBrowsers({ path, home = homedir() } = {}) {
  const fixed = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/snap/bin/chromium']
  const onPath = names.map((name) => findOnPath(name, path)).filter((found) => found !== undefined)
  const apps = macApps.flatMap((app) => [`/${app}`, join(home, app)])
  return [...new Set([...fixed, ...onPath, ...apps])].filter(isExecutable)
}

/**
 * Finds a Chromium that runs, or installs one: Playwright's own build first, else the system's package.
 * @returns {Promise<string>} its path
 * @throws {Error} when there is none and none can be installed, or when CHROMIUM_PATH names none
 */
export async function ensureChromium() {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen) {
    if (await runs(chosen)) return chosen
    throw new Error(`CHROMIUM_PATH=${chosen} não é um navegador que rode.`)
  }
  const ready = await findRunning([...listInstalledBrowsers(), await downloadedBrowser()])
  const found = ready ?? (await downloadBrowser()) ?? (await installSystemBrowser())
  if (found) return found
  throw new Error('Nenhum Chromium encontrado nem instalável. Instale um e aponte CHROMIUM_PATH para ele.')
}

async function downloadBrowser() {
  say('Baixando o Chromium do Playwright…')
  await runCommand('playwright', ['install', 'chromium'], {
    env: toolEnvironment(),
    capture: true,
    abort: AbortSignal.timeout(downloadLimitMs),
  })
  // A fresh machine may lack the libraries that this build needs; then it does not run and the system's is taken.
  return findRunning([await downloadedBrowser()])
}

async function installSystemBrowser() {
  await installSystemPackage('chromium')
  return findRunning(listInstalledBrowsers())
}

/** @returns {Promise<string>} where Playwright keeps, or would keep, its own Chromium; '' when it cannot say */
async function downloadedBrowser() {
  const program = "process.stdout.write(require('playwright-core').chromium.executablePath())"
  const { status, output } = await runCommand(pinnedNode(), ['--eval', program], { capture: true })
  return status === 0 ? output : ''
}

/** @param {readonly string[]} paths */
async function findRunning(paths) {
  for (const path of paths) if (await runs(path)) return path
}

/** @param {string} path */
const runs = async (path) =>
  isExecutable(path) &&
  (await runCommand(path, ['--version'], { capture: true, abort: AbortSignal.timeout(20_000) })).status === 0

// Builds the browser's files if their sources have changed.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findNode, getInterruption, getToolEnv, root, runCommand, say } from './run-command.mjs'

/**
 * @typedef {object} Target
 * @property {string} folder output folder below dist/
 * @property {string} announcement
 * @property {string} config
 * @property {readonly string[]} inputs
 * @property {boolean} [isPrerendered] whether its screens are also prerendered as HTML
 */

const isTest = /\.(test|spec)\.[a-z]+$/

const sharedInputs = [
  'src/contract',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
  'vite.report-page.config.ts',
]

/** @type {Target} */
export const webApp = {
  folder: 'web',
  announcement: 'Compilando a interface…',
  config: 'vite.config.ts',
  inputs: [...sharedInputs, 'index.html', 'src/web', 'scripts/prerender.mjs'],
  isPrerendered: true,
}

/** @type {Target} The Power BI emulator's page, for the demo and the tests only. */
export const reportPage = {
  folder: 'report-page',
  announcement: 'Compilando a página de relatório da demonstração…',
  config: 'vite.report-page.config.ts',
  inputs: [...sharedInputs, 'src/emulators/power-bi'],
}

/**
 * @param {Target} target
 * @param {string} [base] the project's folder
 * @returns {string | undefined} the digest to store after a build; undefined when up to date
 */
export function findStaleDigest({ folder, inputs }, base = root) {
  const digest = hashFiles(base, inputs)
  const isBuilt = existsSync(join(base, 'dist', folder)) && existsSync(digestFile(folder, base))
  return isBuilt && readFileSync(digestFile(folder, base), 'utf8') === digest ? undefined : digest
}

/**
 * @param {string} folder
 * @param {string} base
 */
const digestFile = (folder, base) => join(base, 'dist', `${folder}.sha256`)

/**
 * @param {readonly Target[]} targets
 * @throws {Error} when a build fails or a signal came
 */
export async function buildStale(targets) {
  for (const target of targets) {
    // Before the build: a file saved meanwhile makes the next start build again.
    const digest = findStaleDigest(target)
    if (digest) await build(target, digest)
  }
}

/**
 * @param {Target} target
 * @param {string} digest
 */
async function build({ folder, announcement, config, isPrerendered }, digest) {
  say(announcement)
  rmSync(digestFile(folder, root), { force: true })
  const args = ['build', '--config', config, '--logLevel', 'warn']
  await run('vite', args)
  if (isPrerendered) {
    await run('vite', [...args, '--ssr', 'src/web/app/prerender.tsx', '--outDir', 'dist/prerender'])
    await run(findNode(), ['scripts/prerender.mjs'])
  }
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(digestFile(folder, root), digest)
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function run(program, args) {
  const { status } = await runCommand(program, args, { env: getToolEnv({ NODE_ENV: 'production' }) })
  if (status !== 0 || getInterruption()) throw new Error('A compilação falhou.')
}

/**
 * @param {string} base folder that the entries are relative to
 * @param {readonly string[]} entries files and folders (recursive, without tests), also missing ones
 * @returns {string} hexadecimal SHA-256 over paths and contents, independent of dates and order
 */
export function hashFiles(base, entries) {
  const hash = createHash('sha256')
  for (const path of entries.flatMap((entry) => listFiles(base, entry)).sort()) {
    const content = readFileSync(join(base, path))
    // The length keeps two files distinct from one file with both contents.
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/**
 * @param {string} base
 * @param {string} entry
 * @returns {string[]} paths relative to the base, with forward slashes
 */
function listFiles(base, entry) {
  const stats = statSync(join(base, entry), { throwIfNoEntry: false })
  if (!stats) return []
  if (!stats.isDirectory()) return isTest.test(entry) ? [] : [entry]
  return readdirSync(join(base, entry)).flatMap((name) => listFiles(base, `${entry}/${name}`))
}

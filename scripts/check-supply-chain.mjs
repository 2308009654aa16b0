// `npm run supply-chain`: what is installed is what package-lock.json says, nothing runs at install time but what
// package.json allows, and every licence is one that we take. `-- --list` prints every package with its licence.
// It knows nothing of known vulnerabilities: that takes a service (npm audit).
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compareWithLock } from './compare-with-lock.mjs'
import { failWith } from './fail-with.mjs'
import { isLicenceAllowed } from './judge-licence.mjs'
import { pinnedBinary } from './pinned-node.mjs'
import { readInstalledPackages } from './read-installed-packages.mjs'
import { root, say } from './run-command.mjs'

/** @typedef {import('./read-installed-packages.mjs').InstalledPackage} InstalledPackage */

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** @returns {import('./compare-with-lock.mjs').Platform} */
function thisPlatform() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  const libc = process.platform !== 'linux' ? undefined : header.glibcVersionRuntime ? 'glibc' : 'musl'
  return { os: process.platform, cpu: process.arch, libc }
}

/**
 * The package `node` fetches its binary as one more package, of the same version, which the lock cannot know.
 * @param {InstalledPackage} candidate
 * @param {import('./compare-with-lock.mjs').Locked} locked
 */
const isPinnedNodeBinary = ({ path, version }, locked) =>
  /^node_modules\/node\/node_modules\/node-[a-z0-9-]+$/.test(path) &&
  version === locked['node_modules/node']?.version

/**
 * @param {readonly InstalledPackage[]} installed
 * @param {import('./compare-with-lock.mjs').Locked} locked
 * @param {Record<string, boolean>} allowScripts
 * @returns {string[]}
 */
export function findScripts(installed, locked, allowScripts) {
  const names = new Set(installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name))
  for (const [path, { hasInstallScript, name }] of Object.entries(locked))
    if (hasInstallScript) names.add(name ?? path.replace(/^.*node_modules\//, ''))
  return [
    ...[...names]
      .filter((name) => !allowScripts[name])
      .map((name) => `${name}: roda um script de instalação que package.json não permite`),
    ...Object.keys(allowScripts)
      .filter((name) => !names.has(name))
      .map((name) => `${name}: permissão de script que nada usa`),
  ]
}

/**
 * @param {Record<string, string>} dependencies of package.json
 * @returns {string[]}
 */
export function findRanges(dependencies) {
  return Object.entries(dependencies)
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => `${name}: package.json pede ${version}, e não uma versão exata`)
}

/** @param {readonly InstalledPackage[]} installed */
export function findLicences(installed) {
  return installed
    .filter(({ licence }) => !isLicenceAllowed(licence))
    .map(({ path, licence }) => `${path}: licença ${licence ?? 'desconhecida'} fora da lista permitida`)
}

/**
 * Checks a project's folder.
 * @param {string} folder
 * @returns {{ installed: InstalledPackage[], faults: string[] }}
 * @throws {Error} when nothing is installed
 */
export function checkSupplyChain(folder, platform = thisPlatform()) {
  const record = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(record)) throw new Error('Nada instalado: rode npm start ou npm test antes.')
  const project = readJson(join(folder, 'package.json'))
  const locked = readJson(join(folder, 'package-lock.json')).packages
  const installed = readInstalledPackages(folder).filter((each) => !isPinnedNodeBinary(each, locked))
  const faults = [
    ...findRanges({ ...project.dependencies, ...project.devDependencies }),
    ...compareWithLock(locked, installed, readJson(record).packages, platform),
    ...findScripts(installed, locked, project.allowScripts ?? {}),
    ...findLicences(installed),
  ]
  return { installed, faults }
}

/** The binary comes with no package of the lock: all that can be said is which version it claims to be. */
function findOtherNode() {
  if (!existsSync(pinnedBinary)) return []
  const wanted = `v${readJson(join(root, 'package-lock.json')).packages['node_modules/node'].version}`
  const is = execFileSync(pinnedBinary, ['--version'], { encoding: 'utf8' }).trim()
  return is === wanted ? [] : [`node_modules/node: o binário é ${is}, devia ser ${wanted}`]
}

/** @param {readonly InstalledPackage[]} installed */
function countLicences(installed) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const { licence = '?' } of installed) counts.set(licence, (counts.get(licence) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${licence} ${count}`)
}

/** @param {readonly string[]} args */
function main(args) {
  const { installed, faults } = checkSupplyChain(root)
  if (args.includes('--list'))
    for (const { name, version, licence } of installed) say(`${name}@${version}\t${licence}`)
  else say(`${installed.length} pacotes: ${countLicences(installed).join(', ')}`)
  const all = [...faults, ...findOtherNode()]
  if (all.length > 0) failWith(all.join('\n'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    main(process.argv.slice(2))
  } catch (error) {
    failWith(error)
  }
}

// `npm run supply-chain`: checks that the installed packages match package-lock.json, that only
// scripts allowed by package.json run at install time, and that every license is allowed. `-- --list`
// prints every package with its license. Known vulnerabilities need a service (npm audit).
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compareWithLock, readInstalledPackages } from './installed-packages.mjs'
import { failWith, pinnedBinary, root, say } from './run-command.mjs'

/** @typedef {import('./installed-packages.mjs').InstalledPackage} InstalledPackage */

// Allowed licenses: permissive, font licenses, and MPL-2.0, whose duties are limited to its own files.
const allowedLicenses = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense',
])

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** @returns {import('./installed-packages.mjs').Platform} */
function getPlatform() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  const libc = process.platform !== 'linux' ? undefined : header.glibcVersionRuntime ? 'glibc' : 'musl'
  return { os: process.platform, cpu: process.arch, libc }
}

/**
 * Whether a package is the pinned Node's binary, which `node` downloads and the lock file cannot list.
 * @param {InstalledPackage} candidate
 * @param {import('./installed-packages.mjs').Locked} locked
 */
const isPinnedNodeBinary = ({ path, version }, locked) =>
  /^node_modules\/node\/node_modules\/node-[a-z0-9-]+$/.test(path) &&
  version === locked['node_modules/node']?.version

/**
 * @param {readonly InstalledPackage[]} installed
 * @param {import('./installed-packages.mjs').Locked} locked
 * @param {Record<string, boolean>} allowScripts
 * @returns {string[]}
 */
function findScripts(installed, locked, allowScripts) {
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
function findRanges(dependencies) {
  return Object.entries(dependencies)
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => `${name}: package.json pede ${version}, e não uma versão exata`)
}

/**
 * Evaluates an SPDX expression: `A OR B` needs one allowed, `A AND B` both; AND binds
 * tighter. Anything else (UNLICENSED, SEE LICENSE IN …, WITH an exception) is not allowed.
 * @param {string | undefined} license
 * @returns {boolean}
 */
export function isLicenseAllowed(license) {
  const tokens = license?.match(/[()]|[^\s()]+/g) ?? []
  let position = 0
  /** @returns {boolean} */
  const readOne = () => {
    const token = tokens[position++] ?? ''
    if (token !== '(') return allowedLicenses.has(token)
    const isAllowed = readAny()
    return tokens[position++] === ')' && isAllowed
  }
  const readAll = () => {
    let isAllowed = readOne()
    while (tokens[position] === 'AND' && position++) isAllowed = readOne() && isAllowed
    return isAllowed
  }
  const readAny = () => {
    let isAllowed = readAll()
    while (tokens[position] === 'OR' && position++) isAllowed = readAll() || isAllowed
    return isAllowed
  }
  return readAny() && position === tokens.length
}

/** @param {readonly InstalledPackage[]} installed */
function findLicenses(installed) {
  return installed
    .filter(({ license }) => !isLicenseAllowed(license))
    .map(({ path, license }) => `${path}: licença ${license ?? 'desconhecida'} fora da lista permitida`)
}

/**
 * Checks a project folder.
 * @param {string} folder
 * @returns {{ installed: InstalledPackage[], faults: string[] }}
 * @throws {Error} when nothing is installed
 */
export function checkSupplyChain(folder, platform = getPlatform()) {
  const record = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(record)) throw new Error('Nada instalado: rode npm start ou npm test antes.')
  const project = readJson(join(folder, 'package.json'))
  const locked = readJson(join(folder, 'package-lock.json')).packages
  const installed = readInstalledPackages(folder).filter((each) => !isPinnedNodeBinary(each, locked))
  const faults = [
    ...findRanges({ ...project.dependencies, ...project.devDependencies }),
    ...compareWithLock(locked, installed, readJson(record).packages, platform),
    ...findScripts(installed, locked, project.allowScripts ?? {}),
    ...findLicenses(installed),
  ]
  return { installed, faults }
}

/** Checks the version that the pinned Node's binary claims: no lock entry covers it. */
function checkPinnedNode() {
  if (!existsSync(pinnedBinary)) return []
  const wanted = `v${readJson(join(root, 'package-lock.json')).packages['node_modules/node'].version}`
  const is = execFileSync(pinnedBinary, ['--version'], { encoding: 'utf8' }).trim()
  return is === wanted ? [] : [`node_modules/node: o binário é ${is}, devia ser ${wanted}`]
}

/** @param {readonly InstalledPackage[]} installed */
function countLicenses(installed) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const { license = '?' } of installed) counts.set(license, (counts.get(license) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([license, count]) => `${license} ${count}`)
}

/** @param {readonly string[]} args */
function main(args) {
  const { installed, faults } = checkSupplyChain(root)
  if (args.includes('--list'))
    for (const { name, version, license } of installed) say(`${name}@${version}\t${license}`)
  else say(`${installed.length} pacotes: ${countLicenses(installed).join(', ')}`)
  const all = [...faults, ...checkPinnedNode()]
  if (all.length > 0) failWith(all.join('\n'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    main(process.argv.slice(2))
  } catch (error) {
    failWith(error)
  }
}

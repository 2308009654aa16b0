// Compares the packages in node_modules with package-lock.json.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} InstalledPackage
 * @property {string} path as in package-lock.json: 'node_modules/a/node_modules/@b/c'
 * @property {string} name from its package.json
 * @property {string} version
 * @property {string | undefined} license SPDX expression
 * @property {boolean} hasInstallScript whether npm would run a script when installing it
 */

/**
 * Reads every package below a folder, including nested ones.
 * @param {string} root the project's folder
 * @returns {InstalledPackage[]}
 * @throws {Error} for a folder without package.json
 */
export function readInstalledPackages(root, inside = '') {
  const modules = join(inside, 'node_modules').replaceAll('\\', '/')
  return listPackages(join(root, modules)).flatMap((name) => {
    const path = `${modules}/${name}`
    return [readPackage(root, path), ...readInstalledPackages(root, path)]
  })
}

/** @param {string} folder */
function listPackages(folder) {
  if (!existsSync(folder)) return []
  // Names with a leading dot are npm's own files, or caches of tools.
  const entries = readdirSync(folder).filter((name) => !name.startsWith('.'))
  return entries.flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((scoped) => `${name}/${scoped}`) : [name],
  )
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {InstalledPackage}
 */
function readPackage(root, path) {
  const file = join(root, path, 'package.json')
  if (!existsSync(file)) throw new Error(`${path} não é um pacote: falta package.json`)
  const { name, version, license: declared, scripts = {} } = JSON.parse(readFileSync(file, 'utf8'))
  const runsScript = Boolean(scripts.preinstall || scripts.install || scripts.postinstall)
  // npm compiles packages with this file implicitly.
  const isCompiled = existsSync(join(root, path, 'binding.gyp'))
  const license = typeof declared === 'object' ? declared?.type : declared
  return { path, name, version, license, hasInstallScript: runsScript || isCompiled }
}

/**
 * @typedef {object} LockedPackage an entry of `packages` in package-lock.json
 * @property {string} [name] only when it differs from the path
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [resolved]
 * @property {boolean} [link]
 * @property {boolean} [optional]
 * @property {boolean} [hasInstallScript]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @typedef {Record<string, LockedPackage>} Locked by path */
/** @typedef {{ os: string, cpu: string, libc: string | undefined }} Platform */

/** The platforms of the releases. */
const RELEASED = ['x64', 'arm64'].map((cpu) => ({ os: 'linux', cpu, libc: 'glibc' }))
/** Development tools whose binaries for other platforms were locked without integrity. */
const UNVERIFIED = /^node_modules\/@(biomejs\/cli|tailwindcss\/oxide)-/

/** @param {string} path @param {LockedPackage} entry */
const isUnverifiable = (path, entry) =>
  UNVERIFIED.test(path) && !RELEASED.some((platform) => isForPlatform(entry, platform))

/** @param {string} path */
const toPackageName = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/**
 * @param {Locked} locked package-lock.json, with the project itself under ''
 * @param {readonly InstalledPackage[]} installed
 * @param {Locked} recorded npm's record of the unpacked tarballs (node_modules/.package-lock.json)
 * @param {Platform} platform
 * @returns {string[]} the differences, one Portuguese line each
 */
export function compareWithLock(locked, installed, recorded, platform) {
  const present = new Set(installed.map(({ path }) => path))
  const faults = installed.flatMap((each) => compareOne(each, locked[each.path], recorded[each.path]))
  for (const [path, entry] of Object.entries(locked)) {
    if (path === '') continue
    if (entry.link || (entry.resolved && !entry.resolved.startsWith('https://')))
      faults.push(`${path}: não vem de um registro por https`)
    if (!entry.integrity && (present.has(path) || !isUnverifiable(path, entry)))
      faults.push(`${path}: sem integridade em package-lock.json`)
    if (!present.has(path) && !canBeMissing(path, entry, locked, present, platform))
      faults.push(`${path}: falta em node_modules`)
  }
  return faults
}

/**
 * @param {InstalledPackage} installed
 * @param {LockedPackage | undefined} entry
 * @param {LockedPackage | undefined} recorded
 * @returns {string[]}
 */
function compareOne({ path, name, version }, entry, recorded) {
  if (!entry) return [`${path}: não está em package-lock.json`]
  const faults = []
  const wantedName = entry.name ?? toPackageName(path)
  if (name !== wantedName || version !== entry.version)
    faults.push(`${path}: é ${name}@${version}, devia ser ${wantedName}@${entry.version}`)
  if (entry.integrity && recorded?.integrity !== entry.integrity)
    faults.push(`${path}: instalado de um arquivo com outra integridade`)
  return faults
}

/**
 * Whether an optional package may be missing: for another
 * platform, or needed by missing packages only.
 * @param {string} path
 * @param {LockedPackage} entry
 * @param {Locked} locked
 * @param {ReadonlySet<string>} present
 * @param {Platform} platform
 */
function canBeMissing(path, entry, locked, present, platform) {
  if (!entry.optional) return false
  if (!isForPlatform(entry, platform)) return true
  return !Object.entries(locked).some(([asking, { dependencies, optionalDependencies }]) => {
    const isThere = asking === '' || present.has(asking)
    return isThere && toPackageName(path) in { ...dependencies, ...optionalDependencies }
  })
}

/**
 * @param {LockedPackage} entry
 * @param {Platform} platform
 */
function isForPlatform(entry, platform) {
  /** @param {string[] | undefined} wanted @param {string | undefined} is */
  const fits = (wanted, is) =>
    !wanted ||
    (is !== undefined &&
      !wanted.includes(`!${is}`) &&
      (wanted.includes(is) || wanted.every((each) => each.startsWith('!'))))
  return (
    fits(entry.os, platform.os) &&
    fits(entry.cpu, platform.cpu) &&
    (!entry.libc || fits(entry.libc, platform.libc))
  )
}

// Compares what is installed with what package-lock.json says.

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

/** @param {string} path */
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/**
 * @param {Locked} locked package-lock.json, the project itself under ''
 * @param {readonly import('./read-installed-packages.mjs').InstalledPackage[]} installed
 * @param {Locked} recorded what npm noted down of the tarballs that it unpacked (node_modules/.package-lock.json)
 * @param {Platform} platform
 * @returns {string[]} what differs, a Portuguese line each
 */
export function compareWithLock(locked, installed, recorded, platform) {
  const present = new Set(installed.map(({ path }) => path))
  const faults = installed.flatMap((each) => compareOne(each, locked[each.path], recorded[each.path]))
  for (const [path, entry] of Object.entries(locked)) {
    if (path === '') continue
    if (entry.link || (entry.resolved && !entry.resolved.startsWith('https://')))
      faults.push(`${path}: não vem de um registro por https`)
    if (!present.has(path) && !mayBeMissing(path, entry, locked, present, platform))
      faults.push(`${path}: falta em node_modules`)
  }
  return faults
}

/**
 * @param {import('./read-installed-packages.mjs').InstalledPackage} installed
 * @param {LockedPackage | undefined} entry
 * @param {LockedPackage | undefined} recorded
 * @returns {string[]}
 */
function compareOne({ path, name, version }, entry, recorded) {
  if (!entry) return [`${path}: não está em package-lock.json`]
  const faults = []
  const wantedName = entry.name ?? nameOf(path)
  if (name !== wantedName || version !== entry.version)
    faults.push(`${path}: é ${name}@${version}, devia ser ${wantedName}@${entry.version}`)
  if (!entry.integrity) faults.push(`${path}: sem integridade em package-lock.json`)
  else if (recorded?.integrity !== entry.integrity)
    faults.push(`${path}: instalado de um arquivo com outra integridade`)
  return faults
}

/**
 * Optional packages may be missing when they are for another platform, or when only missing ones ask for them.
 * @param {string} path
 * @param {LockedPackage} entry
 * @param {Locked} locked
 * @param {ReadonlySet<string>} present
 * @param {Platform} platform
 */
function mayBeMissing(path, entry, locked, present, platform) {
  if (!entry.optional) return false
  if (!isFor(entry, platform)) return true
  return !Object.entries(locked).some(([asking, { dependencies, optionalDependencies }]) => {
    const isThere = asking === '' || present.has(asking)
    return isThere && nameOf(path) in { ...dependencies, ...optionalDependencies }
  })
}

/**
 * @param {LockedPackage} entry
 * @param {Platform} platform
 */
function isFor(entry, platform) {
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

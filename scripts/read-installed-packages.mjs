// What really lies in node_modules.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} InstalledPackage
 * @property {string} path as package-lock.json writes it: 'node_modules/a/node_modules/@b/c'
 * @property {string} name of its package.json
 * @property {string} version
 * @property {string | undefined} licence SPDX expression
 * @property {boolean} hasInstallScript whether npm would run something of its own when it is installed
 */

/**
 * Every package below a folder, those inside others too.
 * @param {string} root the project's folder
 * @returns {InstalledPackage[]}
 * @throws {Error} for a folder that is no package
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
  // What begins with a dot is npm's own, or a cache of the tools.
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
  const { name, version, license, scripts = {} } = JSON.parse(readFileSync(file, 'utf8'))
  const runsScript = Boolean(scripts.preinstall || scripts.install || scripts.postinstall)
  // npm compiles what brings this file, without being told to.
  const isCompiled = existsSync(join(root, path, 'binding.gyp'))
  const licence = typeof license === 'object' ? license?.type : license
  return { path, name, version, licence, hasInstallScript: runsScript || isCompiled }
}

// `npm run release`: builds dist/release/patio-VERSION-linux-ARCH.tar.gz with all
// that the portal needs but a database, and the page of the release before.
// `-- --previous patio-0.2.0-linux-x64.tar.gz [--arch x64,arm64] [--version 0.3.0]`
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { buildStale, webApp } from './build-stale.mjs'
import { installDependencies } from './install-dependencies.mjs'
import {
  failWith,
  getToolEnv,
  pinnedBinary,
  root,
  runCommand,
  say,
  serverEnvironment,
  serverFlags,
} from './run-command.mjs'

/** @typedef {'x64' | 'arm64'} Arch */

/** Checksums of Node's binaries by architecture: update them with the version of `node`. */
export const NODE_SHA256 = {
  version: '24.21.0',
  x64: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  arm64: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
}

const COPIED = ['migrations', 'deploy', 'docs', 'src/contract', 'src/server', 'dist/web']
const COPIED_FILES = ['CHANGELOG.md', '.env.example', 'dist/prerender/screens.json']
const LEFT_OUT = /\.test\.ts$|(^|\/)src\/server\/testing$|(^|\/)docs\/(pictures|decisions)$/

const downloads = join(root, '.cache', 'release')

const readLock = () => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
/** @returns {{ version: string, imports: Record<string, string> }} */
const readManifest = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Returns the version that the portal itself says. */
const readVersion = () =>
  execFileSync(pinnedBinary, ['src/server/command-line.ts', '--version'], {
    cwd: root,
    encoding: 'utf8',
  }).trim()

/** @param {Arch} arch @param {string} version */
export const toReleaseName = (arch, version) => `patio-${version}-linux-${arch}`

/**
 * Lists the locked packages that the server needs on Linux
 * with glibc, which Node's own binary requires.
 * @param {Arch} arch
 * @returns {{ path: string, version: string, integrity: string, isNative: boolean }[]}
 */
export function listProductionPackages(arch) {
  /** @param {string[] | undefined} wanted @param {string} is */
  const fits = (wanted, is) => !wanted || wanted.includes(is)
  return Object.entries(readLock())
    .filter(([path, { dev }]) => path !== '' && !dev)
    .filter(([, { os, cpu, libc }]) => fits(os, 'linux') && fits(cpu, arch) && fits(libc, 'glibc'))
    .map(([path, { version, integrity, cpu }]) => ({ path, version, integrity, isNative: Boolean(cpu) }))
}

/**
 * Writes a release into a folder.
 * @param {{ arch: Arch, version: string, folder: string,
 *   nodeBinary: string, isLinked?: boolean }} wanted isLinked: for tests, links instead of copying
 */
export async function stageRelease({ arch, version, folder, nodeBinary, isLinked = false }) {
  const place = (/** @type {string} */ from, /** @type {string} */ to) =>
    // Nested packages are entries of their own, or not for production.
    isLinked
      ? symlinkSync(from, to)
      : cpSync(from, to, {
          recursive: true,
          filter: (source) => !source.startsWith(join(from, 'node_modules')),
        })
  mkdirSync(join(folder, 'bin'), { recursive: true })
  for (const path of COPIED)
    if (existsSync(join(root, path)))
      cpSync(join(root, path), join(folder, path), {
        recursive: true,
        filter: (source) => !LEFT_OUT.test(source.slice(root.length + 1)),
      })
  for (const file of COPIED_FILES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  for (const { path, version: locked, integrity } of listProductionPackages(arch)) {
    // A link to the outer package holds its own ones.
    if (isLinked && path.lastIndexOf('node_modules/') > 0) continue
    const installed = join(root, path)
    const from = existsSync(installed) ? installed : await download(toPackageName(path), locked, integrity)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    place(from, join(folder, path))
  }
  place(nodeBinary, join(folder, 'bin/node'))
  writeFileSync(join(folder, 'bin/patio'), LAUNCHER, { mode: 0o755 })
  writeFileSync(join(folder, 'package.json'), writeManifest(version))
}

/**
 * Adds the page of the previous release and its files, for upgrades with several replicas and for
 * tabs that stay open. What that release carried of its own predecessor is left out.
 * @param {string} folder of the release @param {string} previous its predecessor's unpacked folder
 */
export function addPrevious(folder, previous) {
  /** @param {string} file */
  const read = (file) => readFileSync(join(previous, file), 'utf8')
  const [from = '', to = ''] = [previous, folder].map((each) => join(each, 'dist/web/assets'))
  const older = existsSync(join(previous, 'dist/previous.json'))
    ? JSON.parse(read('dist/previous.json')).files
    : []
  const files = readdirSync(from).filter((file) => !older.includes(file) && !existsSync(join(to, file)))
  for (const file of files) cpSync(join(from, file), join(to, file))
  const { version } = JSON.parse(read('package.json'))
  const page = { version, html: read('dist/web/index.html'), files }
  writeFileSync(join(folder, 'dist/previous.json'), JSON.stringify(page))
}

const LAUNCHER = `#!/bin/sh
# Runs the portal on the Node that came with it; \`patio help\` lists the commands.
home=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
# The demonstration is not in a release.
export NODE_ENV=production ${Object.entries(serverEnvironment)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')}
case "\${1-}" in --env-file=*) settings=$1; shift ;; esac
exec "$home/bin/node" ${serverFlags.join(' ')} \${settings:+"$settings"} "$home/src/server/command-line.ts" "$@"
`

/** Writes package.json; its `npm start` only runs the unpacked files. @param {string} version */
function writeManifest(version) {
  const { imports } = readManifest()
  const scripts = Object.fromEntries(
    [
      'start',
      'setup',
      'doctor',
      'admin',
      'backup',
      'restore',
      'users',
      'access',
      'trail',
      'verify-trail',
    ].map((name) => [name, `exec bin/patio ${name}`]),
  )
  const kept = Object.fromEntries(['#contract/*', '#server/*'].map((name) => [name, imports[name]]))
  return `${JSON.stringify({ name: 'patio', version, private: true, type: 'module', scripts, imports: kept }, null, 2)}\n`
}

/** @param {string} path */
const toPackageName = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/**
 * Downloads a package from npm's registry, or takes it from the cache.
 * @param {string} name
 * @param {string} version
 * @param {string} [integrity] as in package-lock.json
 * @returns {Promise<string>} its folder
 */
async function download(name, version, integrity) {
  const folder = join(downloads, `${name.replaceAll('/', '-')}-${version}`)
  if (existsSync(join(folder, 'package', 'package.json'))) return join(folder, 'package')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  say(`Baixando ${name}@${version}…`)
  const args = ['pack', `${name}@${version}`, '--json', '--ignore-scripts', '--pack-destination', folder]
  execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: getToolEnv() })
  const archive = join(folder, `${name.replace('@', '').replaceAll('/', '-')}-${version}.tgz`)
  const sum = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (integrity && sum !== integrity)
    throw new Error(`${name}@${version}: o arquivo baixado não é o de package-lock.json`)
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  rmSync(archive)
  return join(folder, 'package')
}

/** @param {string} file */
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** @param {Arch} arch @returns {Promise<string>} folder of the package with Node's binary for Linux */
async function downloadNode(arch) {
  const folder = await download(`node-linux-${arch}`, NODE_SHA256.version)
  assertNode(join(folder, 'bin/node'), arch)
  return folder
}

/** @param {string} file @param {Arch} arch */
function assertNode(file, arch) {
  const wanted = readLock()['node_modules/node'].version
  if (NODE_SHA256.version !== wanted)
    throw new Error(`scripts/release.mjs: NODE_SHA256 é do Node ${NODE_SHA256.version}, falta o ${wanted}`)
  if (sha256(file) !== NODE_SHA256[arch]) throw new Error(`O programa do Node para ${arch} não é o esperado.`)
}

/**
 * Writes a CycloneDX list from npm's own, without packages for other
 * platforms, plus Node and its bundled libraries. Includes development
 * packages, marked as such: the page is built from some of them.
 * @param {Arch} arch @param {string} version @param {Date} at
 */
export async function writeBillOfMaterials(arch, version, at) {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  const { status, output } = await runCommand('npm', args, { env: getToolEnv(), capture: true })
  if (status !== 0) throw new Error(`npm sbom falhou.\n${output}`)
  const list = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1))
  const kept = new Set(
    listProductionPackages(arch).map(({ path, version: locked }) => `${toPackageName(path)}@${locked}`),
  )
  /** @type {{ 'bom-ref': string, properties: { name: string, value: string }[] }[]} */
  const all = list.components
  const node = createNodeComponent(arch)
  // npm's package `node`, which only downloads it, has the same name.
  const components = all.filter(
    ({ properties, 'bom-ref': ref }) =>
      kept.has(ref) ||
      (ref !== node['bom-ref'] && properties.some(({ name }) => name === 'cdx:npm:package:development')),
  )
  const refs = new Set([list.metadata.component, node, ...components].map((each) => each['bom-ref']))
  /** @type {{ ref: string, dependsOn?: string[] }[]} */
  const dependencies = list.dependencies
  const digest = createHash('sha256')
    .update(`${toReleaseName(arch, version)}${JSON.stringify(components)}`)
    .digest('hex')
  const uuid = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  const self = {
    ...list.metadata.component,
    name: 'patio',
    version,
    purl: `pkg:npm/patio@${encodeURIComponent(version)}`,
  }
  return {
    ...list,
    serialNumber: `urn:uuid:${uuid}`,
    metadata: { ...list.metadata, timestamp: at.toISOString(), component: self },
    components: [...components, node],
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
  }
}

/** @param {Arch} arch */
function createNodeComponent(arch) {
  const { version } = NODE_SHA256
  const versions = execFileSync(pinnedBinary, ['--print', 'JSON.stringify(process.versions)'], {
    encoding: 'utf8',
  })
  const parts = Object.entries(JSON.parse(versions)).filter(([name]) => name !== 'node')
  return {
    'bom-ref': `node@${version}`,
    type: 'application',
    name: 'node',
    version,
    purl: `pkg:npm/node-linux-${arch}@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    hashes: [{ alg: 'SHA-256', content: NODE_SHA256[arch] }],
    licenses: [{ license: { id: 'MIT' } }],
    components: parts.map(([name, is]) => ({
      type: 'library',
      name,
      version: is,
      'bom-ref': `node@${version}/${name}`,
    })),
  }
}

/** Returns the date of the last commit, so that equal sources give equal files. */
function getSourceDate() {
  if (process.env.SOURCE_DATE_EPOCH) return new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000)
  const seconds = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  return new Date(Number(seconds) * 1000)
}

/**
 * @param {Arch} arch @param {string} version @param {string} out folder
 * @param {string} [previous] archive
 * @returns {Promise<string[]>} the created files
 */
async function buildRelease(arch, version, out, previous) {
  const name = toReleaseName(arch, version)
  say(`Montando ${name}…`)
  const node = await downloadNode(arch)
  const at = getSourceDate()
  const staging = join(downloads, 'staging')
  rmSync(staging, { recursive: true, force: true })
  await stageRelease({ arch, version, folder: join(staging, name), nodeBinary: join(node, 'bin/node') })
  if (previous) {
    mkdirSync(join(staging, 'previous'))
    execFileSync('tar', ['-xzf', previous, '--strip-components=1', '-C', join(staging, 'previous')])
    addPrevious(join(staging, name), join(staging, 'previous'))
  }
  mkdirSync(join(staging, name, 'licenses'))
  cpSync(join(node, 'LICENSE'), join(staging, name, 'licenses/node.txt'))
  const list = `${JSON.stringify(await writeBillOfMaterials(arch, version, at), null, 2)}\n`
  for (const file of [join(staging, name, 'sbom.json'), join(out, `${name}.sbom.json`)])
    writeFileSync(file, list)
  const archive = join(out, `${name}.tar.gz`)
  const same = ['--sort=name', `--mtime=@${at.getTime() / 1000}`, '--owner=0', '--group=0', '--numeric-owner']
  const format = ['--format=posix', '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime']
  const modes = '--mode=u=rwX,go=rX'
  execFileSync('tar', [...same, ...format, modes, '--use-compress-program=gzip -n', '-cf', archive, name], {
    cwd: staging,
  })
  rmSync(staging, { recursive: true })
  return [`${name}.tar.gz`, `${name}.sbom.json`]
}

/**
 * @param {{ archs: readonly Arch[], version?: string, out?: string, previous?: string }} wanted
 * @returns {Promise<string[]>} file names, with the checksums last
 */
export async function buildReleases({
  archs,
  version: wanted,
  out = join(root, 'dist', 'release'),
  previous,
}) {
  await installDependencies()
  const version = wanted ?? readVersion()
  await buildStale([webApp])
  mkdirSync(out, { recursive: true })
  const files = []
  for (const arch of archs) files.push(...(await buildRelease(arch, version, out, previous)))
  writeFileSync(
    join(out, 'SHA256SUMS'),
    files.map((file) => `${sha256(join(out, file))}  ${file}\n`).join(''),
  )
  return [...files, 'SHA256SUMS']
}

/** @param {string[]} args */
async function main(args) {
  const { values } = parseArgs({
    args,
    options: {
      arch: { type: 'string', default: 'x64,arm64' },
      version: { type: 'string' },
      previous: { type: 'string' },
    },
  })
  const { arch, ...wanted } = values
  if (!wanted.previous && !(wanted.version ?? readManifest().version).endsWith('-dev'))
    throw new Error('Falta --previous ARQUIVO: o pacote da versão anterior, cuja página esta leva.')
  const files = await buildReleases({ archs: /** @type {Arch[]} */ (arch.split(',')), ...wanted })
  say(`Em dist/release:\n  ${files.join('\n  ')}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await main(process.argv.slice(2)).catch(failWith)

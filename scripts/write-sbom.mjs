// `npm run sbom [-- FILE]`: writes a CycloneDX list of everything that package-lock.json names. Into a file, because npm
// prints lines of its own to the standard output of what it runs. Needs no network.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { failWith } from './fail-with.mjs'
import { root, runCommand, say } from './run-command.mjs'

const COMMAND = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']

/** @returns {Promise<any>} @throws {Error} with npm's words when it makes no list */
async function listPackages() {
  const { status, output } = await runCommand('npm', [...COMMAND, '--loglevel', 'error'], { capture: true })
  if (status !== 0) throw new Error(output)
  return JSON.parse(output.slice(output.indexOf('{')))
}

try {
  const file = resolve(process.argv[2] ?? join(root, 'dist', 'sbom.json'))
  const sbom = await listPackages()
  // npm calls the project by the name of its folder.
  sbom.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
  say(`${sbom.components.length} pacotes listados em ${file}`)
} catch (error) {
  failWith(error)
}

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../', import.meta.url)

/** Adds the commit to the version of a build that is not a release, as in '0.3.0-dev+1a2b3c4'. */
export function addCommit(version: string): string {
  if (!version.endsWith('-dev')) return version
  const args = ['rev-parse', '--short', 'HEAD']
  const { status, stdout } = spawnSync('git', args, { cwd: fileURLToPath(ROOT), encoding: 'utf8' })
  return status === 0 ? `${version}+${stdout.trim()}` : version
}

export const VERSION = addCommit(JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')).version)

/** Returns how to type a command: 'patio admin' in a release, else 'npm run admin --'. */
export const formatCommand = (name: string): string =>
  process.argv[1]?.endsWith('command-line.ts') ? `patio ${name}` : `npm run ${name} --`

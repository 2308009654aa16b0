// Installed PostgreSQL server programs, for the throw-away cluster of the tests.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isExecutable, pathFolders } from './find-executable.mjs'
import { runCommand } from './run-command.mjs'

const oldestMajor = 15

/**
 * @param {string} parent folder that holds one folder per version
 * @param {RegExp} name
 * @returns {string[]} the `bin` folders below it, newest version first
 */
export function listVersions(parent, name) {
  try {
    const folders = readdirSync(parent).filter((folder) => name.test(folder))
    return folders.sort((a, b) => versionOf(b) - versionOf(a)).map((folder) => join(parent, folder, 'bin'))
  } catch {
    return []
  }
}

/** @param {string} text */
const versionOf = (text) => Number(text.match(/\d+/)?.[0] ?? 0)

/** @param {string} folder */
const holdsServer = (folder) => ['initdb', 'postgres'].every((program) => isExecutable(join(folder, program)))

/** @returns {string[]} folders that hold a PostgreSQL server, the one in PATH first, then newest first */
export function listPostgresFolders() {
  const folders = [
    ...pathFolders(),
    ...listVersions('/usr/lib/postgresql', /^\d+$/),
    ...listVersions('/opt/homebrew/opt', /^postgresql(@\d+)?$/),
    ...listVersions('/usr/local/opt', /^postgresql(@\d+)?$/),
    ...listVersions('/Applications/Postgres.app/Contents/Versions', /^\d+$/),
  ]
  return [...new Set(folders)].filter(holdsServer)
}

/** @returns {Promise<string | undefined>} folder of a PostgreSQL server that is new enough (15 or later) */
export async function findPostgres() {
  for (const folder of listPostgresFolders()) {
    const { output } = await runCommand(join(folder, 'postgres'), ['--version'], { capture: true })
    if (versionOf(output) >= oldestMajor) return folder
  }
}

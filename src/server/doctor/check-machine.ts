import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { describeBackUp } from './check-database.ts'
import { type Check, check, fault, good, warning } from './run-checks.ts'

const GIB = 2 ** 30
/** Look-ups without a DNS occupy Node's threads, which the disk waits for too. */
const WITHIN_MS = 25_000

/**
 * Checks the disk of the data directory, or of its closest existing parent.
 * @param isUsed whether the portal must be able to write there
 */
export function createDiskCheck(dataDir: string, isUsed = true): Check {
  const run = async () => {
    let folder = resolve(dataDir)
    const { R_OK, W_OK, X_OK } = constants
    // The first throws for a parent that cannot be entered, where nothing seems to exist.
    if (isUsed && statSync(folder, { throwIfNoEntry: false })) accessSync(folder, R_OK | W_OK | X_OK)
    while (!existsSync(folder)) folder = dirname(folder)
    const { bavail, bsize, blocks } = await statfs(folder)
    const free = bavail * bsize
    const says = `Disco em ${folder}: ${(free / GIB).toFixed(1).replace('.', ',')} GiB livres.`
    const todo = 'Libere espaço ou aumente o disco: sem espaço nada mais é gravado.'
    if (free < GIB / 4) return fault(says, todo)
    return free < GIB || bavail / blocks < 0.05 ? warning(says, todo) : good(says)
  }
  return check('disk', `DATA_DIR (${dataDir})`, WITHIN_MS, run)
}

export function createFolderCheck(folder: string): Check {
  const run = async () => {
    // A killed back-up leaves its `.part` until the next one.
    const names = readdirSync(folder).filter((name) => !name.endsWith('.part'))
    const times = names.map((name) => statSync(join(folder, name)).mtimeMs)
    const newest = times.length > 0 ? new Date(Math.max(...times)) : undefined
    return describeBackUp(newest, `Veja por que a cópia agendada não escreve em ${folder}.`)
  }
  return check('back-up-folder', `Cópias em ${folder}`, WITHIN_MS, run)
}

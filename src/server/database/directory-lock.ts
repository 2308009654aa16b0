import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseOpenError } from './database.ts'

/**
 * Claims a data directory for this process alone: two processes on one embedded database lose each
 * other's acknowledged writes without an error. A lock whose process is gone is taken over.
 * @param dataDir made when missing
 * @returns releases the claim
 * @throws DatabaseOpenError when another living process holds it
 */
export function lockDirectory(dataDir: string): () => void {
  const file = join(dataDir, 'patio.lock')
  try {
    mkdirSync(dataDir, { recursive: true })
  } catch (error) {
    throw new DatabaseOpenError(
      `Não foi possível criar a pasta de dados ${dataDir}: ${(error as Error).message}`,
    )
  }
  const mine = `${process.pid} ${startOf(process.pid)}`
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(file, mine, { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new DatabaseOpenError(
          `Não foi possível usar a pasta de dados ${dataDir}: ${(error as Error).message}`,
        )
    }
    const holder = readHolder(file)
    if (holder && isAlive(holder))
      throw new DatabaseOpenError(
        `A pasta de dados ${dataDir} já está em uso pelo processo ${holder.pid}. Encerre-o ou defina outra DATA_DIR.`,
      )
    rmSync(file, { force: true })
  }
  throw new DatabaseOpenError(`A pasta de dados ${dataDir} está sendo disputada por outro processo.`)
}

interface Holder {
  pid: number
  start: string
}

function readHolder(file: string): Holder | undefined {
  try {
    const [pid, start = ''] = readFileSync(file, 'utf8').split(' ')
    return Number(pid) > 0 ? { pid: Number(pid), start } : undefined
  } catch {
    return undefined
  }
}

function isAlive({ pid, start }: Holder): boolean {
  if (pid === process.pid) return startOf(pid) === start
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return startOf(pid) === start
}

/** When a process started, so that a recycled pid is not taken for the holder; '' where /proc is missing. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

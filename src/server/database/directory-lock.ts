import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseOpenError } from './database.ts'

const CLAIM = /^patio-(\d+)-(\d*)\.lock$/
const ATTEMPTS = 10
const MAX_PAUSE_MS = 100

/** What this process holds: a claim in its name that is not among them was left by one with the same pid. */
const held = new Set<string>()

/**
 * Claims a data directory for this process alone: two processes on one embedded database lose each
 * other's acknowledged writes without an error. Each process has a claim file of its own, named by pid and
 * start, and looks for others only after it has made it: of two at once at least one sees the other and
 * steps back. Claims of processes that are gone are removed.
 * @param dataDir made when missing
 * @returns releases the claim
 * @throws DatabaseOpenError when another living process holds it
 */
export function lockDirectory(dataDir: string): () => void {
  const mine = join(dataDir, `patio-${process.pid}-${startOf(process.pid)}.lock`)
  if (held.has(mine)) throw inUse(dataDir, process.pid)
  for (let attempt = 1; ; attempt++) {
    makeClaim(dataDir, mine)
    const other = findOther(dataDir)
    if (other === undefined) break
    rmSync(mine, { force: true })
    if (attempt === ATTEMPTS) throw inUse(dataDir, other)
    pause(Math.random() * MAX_PAUSE_MS)
  }
  held.add(mine)
  return () => {
    held.delete(mine)
    rmSync(mine, { force: true })
  }
}

function inUse(dataDir: string, pid: number): DatabaseOpenError {
  return new DatabaseOpenError(
    `A pasta de dados ${dataDir} já está em uso pelo processo ${pid}. Encerre-o ou defina outra DATA_DIR.`,
  )
}

function makeClaim(dataDir: string, file: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, '')
  } catch (error) {
    throw new DatabaseOpenError(
      `Não foi possível usar a pasta de dados ${dataDir}: ${(error as Error).message}`,
    )
  }
}

/** The pid of another living process with a claim; claims of dead ones are removed on the way. */
function findOther(dataDir: string): number | undefined {
  for (const name of readdirSync(dataDir)) {
    const [, digits, start = ''] = CLAIM.exec(name) ?? []
    const pid = Number(digits)
    if (!digits || (pid === process.pid && start === startOf(pid))) continue
    if (isAlive(pid, start)) return pid
    rmSync(join(dataDir, name), { force: true })
  }
  return undefined
}

function isAlive(pid: number, start: string): boolean {
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

/** Blocks the thread: nothing else runs while the database is not open. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

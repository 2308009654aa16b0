import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseOpenError } from './database.ts'

const CLAIM = /^patio-(\d+)-(\d*)\.lock$/
const ATTEMPTS = 10
const MAX_PAUSE_MS = 100

/** Claims of this process; another one with its pid is stale. */
const ownClaims = new Set<string>()

/**
 * Locks a data directory: two processes on one embedded database silently lose each other's
 * acknowledged writes. Each process writes a claim file before it looks for others, so that of two
 * concurrent ones at least one retreats. Claims of dead processes are removed.
 * @param dataDir created if missing
 * @returns releases the lock
 * @throws DatabaseOpenError if another living process has it
 */
export function lockDirectory(dataDir: string): () => void {
  const ownClaim = join(dataDir, `patio-${process.pid}-${readStartTime(process.pid)}.lock`)
  if (ownClaims.has(ownClaim)) throw createInUseError(dataDir, process.pid)
  for (let attempt = 1; ; attempt++) {
    writeClaim(dataDir, ownClaim)
    const other = findLiveOwner(dataDir)
    if (other === undefined) break
    rmSync(ownClaim, { force: true })
    if (attempt === ATTEMPTS) throw createInUseError(dataDir, other)
    sleepSync(Math.random() * MAX_PAUSE_MS)
  }
  ownClaims.add(ownClaim)
  return () => {
    ownClaims.delete(ownClaim)
    rmSync(ownClaim, { force: true })
  }
}

function createInUseError(dataDir: string, pid: number): DatabaseOpenError {
  return new DatabaseOpenError(
    `A pasta de dados ${dataDir} já está em uso pelo processo ${pid}. Encerre-o ou defina outra DATA_DIR.`,
  )
}

function writeClaim(dataDir: string, file: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, '')
  } catch (error) {
    throw new DatabaseOpenError(
      `Não foi possível usar a pasta de dados ${dataDir}: ${(error as Error).message}`,
    )
  }
}

/** Returns the pid of another living process with a claim; removes claims of dead ones. */
function findLiveOwner(dataDir: string): number | undefined {
  for (const name of readdirSync(dataDir)) {
    const [, digits, start = ''] = CLAIM.exec(name) ?? []
    const pid = Number(digits)
    if (!digits || (pid === process.pid && start === readStartTime(pid))) continue
    if (isAlive(pid, start)) return pid
    rmSync(join(dataDir, name), { force: true })
  }
  return undefined
}

function isAlive(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return readStartTime(pid) === start
}

/** Returns the start time of a process, to detect a reused pid; '' without /proc. */
function readStartTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

/** Blocks the thread: nothing else runs until the database is open. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

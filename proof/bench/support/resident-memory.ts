import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Resident memory of a process in megabytes (10⁶ bytes); /proc where there is one, else ps. */
export function residentMemory(pid: number): number {
  return (readKibibytes(pid) * 1024) / 1e6
}

function readKibibytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
  }
}

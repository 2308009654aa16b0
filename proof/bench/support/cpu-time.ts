import { readFileSync } from 'node:fs'

/** Length of a tick in /proc, the same on every Linux that Node runs on. */
const TICK_US = 10_000

/** Processor time that a process has used, in µs; undefined where there is no /proc. */
export function cpuTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name, which may hold anything but ends at the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_US
  } catch {
    return undefined
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import { type StartedPortal, startPortal } from './processes.ts'
import type { CleanUp } from './run-task.ts'

/** The parameters of one fault. */
export interface FaultRun {
  /** The short form, for continuous integration. */
  isShort: boolean
  cleanUp: CleanUp
  /** First of ten ports reserved for this fault. */
  port: number
}

/** The result of one promise under a fault. */
export interface Verdict {
  promise: string
  held: boolean
  seen: string
}

/** Why a fault could not be tried after all. */
export class NotTriedError extends Error {}

/** One row of the table in proof/faults/README.md. */
export interface Fault {
  name: string
  /** Returns why it cannot be tried on this machine, or undefined. */
  cannotRun?: () => Promise<string | undefined>
  needsPostgres?: true
  run(run: FaultRun): Promise<Verdict[]>
}

/** Keeps TypeScript from widening a fault's literal type. */
export const defineFault = (fault: Fault): Fault => fault

/** The short form shares the machine with other tests: its time limits are only orders of magnitude. */
const IS_SHORT = process.argv.includes('--short')
const SLACK = IS_SHORT ? 5 : 1
const MAX_SLACK_MS = 3_000
/** Tolerance for times bounded by timers, on a busy machine. */
const WAKING_MS = IS_SHORT ? 2_000 : 0

/** Checks an upper limit that depends on how busy the machine is. */
export function checkMax(promise: string, value: number, limit: number, unit: string): Verdict {
  const isTime = unit === 'ms'
  const most = isTime ? Math.min(limit * SLACK, limit + MAX_SLACK_MS) : limit
  const shown = isTime ? Math.round(value) : value
  return { promise: `${promise} ≤ ${most} ${unit}`, held: value <= most, seen: `${shown} ${unit}` }
}

/** Checks a time that the portal's own timers bound, so that the limit is nearly equal on all machines. */
export function checkTime(promise: string, ms: number, limitMs: number): Verdict {
  const most = limitMs + WAKING_MS
  return { promise: `${promise} < ${most} ms`, held: ms < most, seen: `${Math.round(ms)} ms` }
}

/** Checks an exact count. */
export function verify(promise: string, value: number, expected: number): Verdict {
  return { promise: `${promise} = ${expected}`, held: value === expected, seen: String(value) }
}

/** Settings of every portal under test; rate limits would count the load as an attack. */
const QUIET = { RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' }

/** Starts a portal in demo mode that ends with the run. */
export async function startFaultPortal(
  run: FaultRun,
  port: number,
  env: Record<string, string>,
): Promise<StartedPortal> {
  const portal = await startPortal(port, { ...QUIET, ...env })
  run.cleanUp(portal.stop)
  return portal
}

/** Kills a process like a power failure and waits for its end. */
export async function killHard(portal: StartedPortal): Promise<void> {
  process.kill(portal.pid, 'SIGKILL')
  while (!portal.hasEnded()) await wait(5)
  // Already ended; this releases its resources.
  await portal.stop()
}

import { setTimeout as wait } from 'node:timers/promises'
import { type StartedPortal, startPortal } from './processes.ts'
import type { CleanUp } from './run-task.ts'

/** What one fault is given: how much to try, and where to hang what must be ended afterwards. */
export interface FaultRun {
  /** The shortened form, for continuous integration. */
  isShort: boolean
  cleanUp: CleanUp
  /** First of ten ports that belong to this fault. */
  port: number
}

/** One thing that must hold under a fault, and what was seen. */
export interface Verdict {
  promise: string
  held: boolean
  seen: string
}

/** One row of the table in proof/faults/README.md. */
export interface Fault {
  name: string
  /** Why it cannot be tried on this machine, or undefined. */
  cannotRun?: () => Promise<string | undefined>
  needsPostgres?: true
  run(run: FaultRun): Promise<Verdict[]>
}

/** Keeps TypeScript from widening a fault's literal. */
export const defineFault = (fault: Fault): Fault => fault

/** In the shortened form others share the machine: there a time is only asked for its order of magnitude. */
const IS_SHORT = process.argv.includes('--short')
const SLACK = IS_SHORT ? 5 : 1
const MAX_SLACK_MS = 3_000
/** What a busy machine may add to a time that timers bound. */
const WAKING_MS = IS_SHORT ? 2_000 : 0

/** A verdict on a number that must not be above a limit; for times that depend on how busy the machine is. */
export function atMost(promise: string, value: number, limit: number, unit: string): Verdict {
  const isTime = unit === 'ms'
  const most = isTime ? Math.min(limit * SLACK, limit + MAX_SLACK_MS) : limit
  const shown = isTime ? Math.round(value) : value
  return { promise: `${promise} ≤ ${most} ${unit}`, held: value <= most, seen: `${shown} ${unit}` }
}

/** A verdict on a time that timers of the portal bound, so that the limit is nearly the same on any machine. */
export function below(promise: string, ms: number, limitMs: number): Verdict {
  const most = limitMs + WAKING_MS
  return { promise: `${promise} < ${most} ms`, held: ms < most, seen: `${Math.round(ms)} ms` }
}

/** A verdict on a count that must be exact. */
export function exactly(promise: string, value: number, expected: number): Verdict {
  return { promise: `${promise} = ${expected}`, held: value === expected, seen: String(value) }
}

/** What every portal of the fault programs has in common; limits would count the load as an attack. */
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

/** Kills a process as a power cut would and waits until it is gone. */
export async function killHard(portal: StartedPortal): Promise<void> {
  process.kill(portal.pid, 'SIGKILL')
  while (!portal.hasEnded()) await wait(5)
  // Nothing is left to end; this lets go of it.
  await portal.stop()
}

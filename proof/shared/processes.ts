import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { compileCache, root, serverEnvironment, serverFlags } from '#scripts/run-command.mjs'

/** Ports of the processes under measurement; BENCH_PORT shifts them all. */
export const FIRST_PORT = Number(process.env.BENCH_PORT ?? 4380)

/** Returns a random secret; in demo mode the session secret is the data directory's own. */
export const createSecret = (): string => randomBytes(32).toString('base64url')

const STOP_MS = 30_000

export interface RunningProcess {
  pid: number
  /** performance.now() of the start. */
  startedAt: number
  /** Returns the end of its standard error. */
  errors(): string
  hasEnded(): boolean
  /** Terminates it, by force if necessary. */
  stop(): Promise<void>
}

interface ProcessOptions {
  env?: NodeJS.ProcessEnv
  /** Leads its own process group, so that its children end with it. */
  isGroup?: boolean
  /** By default the project's folder. */
  cwd?: string
}

/** Starts a program of the project without standard output; it never outlives this process. */
export function runProcess(program: string, args: string[], options: ProcessOptions = {}): RunningProcess {
  const { env = {}, isGroup = false, cwd = root } = options
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe']
  const startedAt = performance.now()
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio, detached: isGroup })
  const pid = child.pid
  if (pid === undefined) throw new Error(`${program} could not be started`)
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000)
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const signal = (name: NodeJS.Signals) => hasEnded() || process.kill(isGroup ? -pid : pid, name)
  const kill = () => signal('SIGKILL')
  process.once('exit', kill)
  return {
    pid,
    startedAt,
    errors: () => errors,
    hasEnded,
    async stop() {
      if (!hasEnded()) await stopProcess(child, signal)
      process.off('exit', kill)
    },
  }
}

async function stopProcess(child: ChildProcess, signal: (name: NodeJS.Signals) => void): Promise<void> {
  const ended = once(child, 'exit')
  signal('SIGTERM')
  const force = setTimeout(() => signal('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(force)
}

const MAX_WAIT_MS = 120_000
const PAUSE_MS = 4

/**
 * Sends one request on a new connection, without fetch's warm-up.
 * @returns its status, 0 when refused
 */
function fetchStatus(url: string): Promise<number> {
  return new Promise((resolve) => {
    const probe = request(url, { agent: false, timeout: 2_000 }, (reply) => {
      reply.resume()
      resolve(reply.statusCode ?? 0)
    })
    probe.on('timeout', () => probe.destroy())
    probe.on('error', () => resolve(0))
    probe.end()
  })
}

/**
 * Waits until a URL replies with a status below 500.
 * @returns milliseconds since the start of the process
 * @throws Error with its error output when it ends first, or after two minutes
 */
export async function waitUntilAnswers(url: string, started: RunningProcess): Promise<number> {
  while (performance.now() - started.startedAt < MAX_WAIT_MS) {
    const status = await fetchStatus(url)
    if (status > 0 && status < 500) return performance.now() - started.startedAt
    if (started.hasEnded()) throw new Error(`the process behind ${url} ended:\n${started.errors()}`)
    await wait(PAUSE_MS)
  }
  throw new Error(`nothing answered at ${url}:\n${started.errors()}`)
}

export interface StartedPortal extends RunningProcess {
  url: string
  /** Milliseconds from the start of the process to the first success of /api/health/ready. */
  readyMs: number
}

/**
 * Starts the portal's server in its own process, by default in demo
 * mode, and waits until it is ready. The page must have been built.
 * @param folder another checkout to compare with
 * @param program the server's entry point, by default that of `npm start`
 */
export async function startPortal(
  port: number,
  env: Record<string, string>,
  folder = root,
  program = 'src/server/main.ts',
): Promise<StartedPortal> {
  const flags = folder === root ? serverFlags : await readServerFlags(folder)
  const started = runProcess(process.execPath, [...flags, program], {
    cwd: folder,
    env: { NODE_COMPILE_CACHE: compileCache, ...serverEnvironment, PORT: String(port), ...env },
  })
  const url = `http://127.0.0.1:${port}`
  const readyMs = await waitUntilAnswers(`${url}/api/health/ready`, started)
  return { ...started, url, readyMs }
}

/** Returns the flags of another release; 0.1 had them in a separate file. */
async function readServerFlags(folder: string): Promise<string[]> {
  const scripts = ['server-flags.mjs', 'run-command.mjs'].map((name) => join(folder, 'scripts', name))
  return (await import(scripts.find(existsSync) as string)).serverFlags
}

/** Returns a process's resident memory in megabytes (10⁶ bytes), from /proc or by ps. */
export function readResidentMemory(pid: number): number {
  return (readKibibytes(pid) * 1024) / 1e6
}

function readKibibytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
  }
}

/** The length of a tick in /proc, the same on every Linux that Node supports. */
const TICK_US = 10_000

/**
 * Returns the processor time of a process in µs; undefined without /proc.
 * @param ofChildren instead that of its ended children
 */
export function readCpuTime(pid: number, ofChildren = false): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, the program's name, may contain anything but ends at the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system] = ofChildren ? [13, 14] : [11, 12]
    return (Number(fields[user]) + Number(fields[system])) * TICK_US
  } catch {
    return undefined
  }
}

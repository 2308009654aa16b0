import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from './paths.ts'

const STOP_MS = 30_000

export interface RunningProcess {
  pid: number
  /** performance.now() of the moment at which it was started. */
  startedAt: number
  /** The end of what it wrote to standard error. */
  errors(): string
  hasEnded(): boolean
  /** Asks it to end, and makes it when it does not. */
  stop(): Promise<void>
}

interface ProcessOptions {
  env?: NodeJS.ProcessEnv
  /** Leads a group of its own, so that what it starts ends with it. */
  isGroup?: boolean
  /** The project's folder unless said. */
  cwd?: string
}

/** Starts a program of the project, its standard output going nowhere; it never outlives this process. */
export function runProcess(program: string, args: string[], options: ProcessOptions = {}): RunningProcess {
  const { env = {}, isGroup = false, cwd = ROOT } = options
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
      if (!hasEnded()) await stopWithin(child, signal)
      process.off('exit', kill)
    },
  }
}

async function stopWithin(child: ChildProcess, signal: (name: NodeJS.Signals) => void): Promise<void> {
  const ended = once(child, 'exit')
  signal('SIGTERM')
  const force = setTimeout(() => signal('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(force)
}

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const START_MS = 60_000

/** The environment that test processes inherit; the compile cache saves a third of their startup. */
export const BARE_ENVIRONMENT = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
}

/** The environment of a production portal, without its database and mode. */
export const REAL_ENVIRONMENT = {
  PUBLIC_URL: 'https://portal.example.com',
  SESSION_SECRET: 'k3J9-fbQ2-xT7w-Lm5R-pZ8v-Hn4C-yD6s',
  COMPANY_EMAIL_DOMAIN: 'example.com',
  POWERBI_TENANT_ID: 'example.com',
  POWERBI_CLIENT_ID: '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70',
  POWERBI_CLIENT_SECRET: 'a client secret',
  SMTP_URL: 'smtp://127.0.0.1:2525',
  MAIL_FROM: 'Portal <portal@example.com>',
  HOST: '127.0.0.1',
}

/** A portal in its own process, as in production. */
export interface PortalProcess {
  url: string
  dataDir: string
  child: ChildProcess
  /** The output so far, of stdout and stderr. */
  output(): string
  /** Resolves with the exit code. */
  exited: Promise<number | null>
  /** Stops it gracefully and removes its data directory, unless DATA_DIR was given. */
  stop(): Promise<void>
}

/** @returns the environment of a Node process with a fast clock */
export function shiftClock(seconds: number): { NODE_OPTIONS: string } {
  const script = `const Real = Date; globalThis.Date = class extends Real {
    constructor(...given) { super(...(given.length > 0 ? given : [Real.now() + ${seconds * 1000}])) }
    static now() { return Real.now() + ${seconds * 1000} }
  }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}

/**
 * Finds a free port below the ephemeral range, whose ports could be taken by a connection before the
 * portal listens.
 */
export async function findFreePort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return findFreePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts `node src/server/main.ts` with this environment and PATH, without waiting until it is ready. */
export async function spawnPortal(env: Record<string, string> = {}): Promise<PortalProcess> {
  const port = env.PORT ?? String(await findFreePort())
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'patio-data-')))
  // Test processes are too short for optimized compilation of PGlite to pay off.
  const child = spawn(process.execPath, ['--liftoff-only', MAIN], {
    env: { ...BARE_ENVIRONMENT, PORT: port, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    url: `http://localhost:${port}`,
    dataDir,
    child,
    output: () => printed,
    exited,
    async stop() {
      child.kill('SIGTERM')
      await exited
      if (!env.DATA_DIR) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Waits until a portal process is ready.
 * @throws Error with its output when it exits or takes longer than a minute
 */
export async function waitUntilReady(portal: PortalProcess): Promise<void> {
  const deadline = Date.now() + START_MS
  while (Date.now() < deadline && portal.child.exitCode === null) {
    const reply = await fetch(`${portal.url}/api/health/ready`).catch(() => undefined)
    if (reply?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`the portal did not come up:\n${portal.output()}`)
}

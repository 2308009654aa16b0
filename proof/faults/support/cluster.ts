import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { CleanUp } from '#proof/bench/support/run-task.ts'
import { temporaryFolder } from '#proof/bench/support/temporary-folder.ts'
// @ts-expect-error: a plain script without types
import { findPostgres } from '#scripts/find-postgres.mjs'
// @ts-expect-error: a plain script without types
import { unprivilegedUser } from '#scripts/throw-away-postgres.mjs'

const READY_MS = 20_000

/** A PostgreSQL server that may be killed and brought back; nothing is lost between. */
export interface Cluster {
  url: string
  start(): Promise<void>
  /** Ends it without a checkpoint, as a crash does (SIGQUIT, "immediate"). */
  crash(): Promise<void>
}

interface Owner {
  uid?: number
  gid?: number
}

/** Sets a cluster up in a folder of its own and starts it; it ends with the run. */
export async function startCluster(
  port: number,
  cleanUp: CleanUp,
  settings: string[] = [],
): Promise<Cluster> {
  const programs: string | undefined = await findPostgres()
  if (!programs) throw new Error('There is no PostgreSQL 15 or later here.')
  const owner: Owner = process.getuid?.() === 0 ? unprivilegedUser() : {}
  const folder = temporaryFolder(cleanUp)
  giveTo(owner, folder)
  const options = { ...owner, cwd: folder, stdio: 'ignore' } as const
  const data = join(folder, 'data')
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    options,
  )
  const all = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
  const args = ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])]
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  const server = keepServer(
    () => spawn(join(programs, 'postgres'), args, options),
    // Returns when the server has ended.
    () => spawnSync(join(programs, 'pg_ctl'), ['stop', '-D', data, '-m', 'immediate'], options),
    url,
  )
  await server.start()
  cleanUp(server.crash)
  return { url, ...server }
}

function giveTo({ uid, gid }: Owner, folder: string): void {
  chmodSync(folder, 0o755)
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
}

function keepServer(
  launch: () => ChildProcess,
  waitForEnd: () => void,
  url: string,
): Pick<Cluster, 'start' | 'crash'> {
  let child: ChildProcess | undefined
  const hasEnded = () => !child || child.exitCode !== null || child.signalCode !== null
  const crash = async () => {
    if (!child || hasEnded()) return
    const ended = once(child, 'exit')
    child.kill('SIGQUIT')
    await ended
  }
  // Before its folder is removed, in which it would go on writing.
  process.prependOnceListener('exit', () => {
    if (hasEnded()) return
    child?.kill('SIGQUIT')
    waitForEnd()
  })
  return {
    crash,
    async start() {
      child = launch()
      await waitUntilServes(url)
    },
  }
}

async function waitUntilServes(url: string): Promise<void> {
  for (const limit = Date.now() + READY_MS; Date.now() < limit; await wait(50)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
    client.on('error', () => {})
    const isUp = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => {})
    if (isUp) return
  }
  throw new Error('PostgreSQL did not come up')
}

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { atMost, defineFault, exactly, startFaultPortal, type Verdict } from '#proof/shared/fault.ts'
import { countLost, keepAsking, timeUntil, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, runSql } from '#proof/shared/postgres.ts'
import { type Answer, ask } from '#proof/shared/requests.ts'
import { type CleanUp, temporaryFolder } from '#proof/shared/run-task.ts'
import { findPostgres } from '#scripts/find-programs.mjs'
import { unprivilegedUser } from '#scripts/throw-away-postgres.mjs'

/** An answer may take this long; what is asked just before the restart may be a good one. */
const ANSWERED_MS = 2_100
const DOWN_MS = { short: 4_000, whole: 6_000 }
/** Fewer would show nothing. */
const MIN_ANSWERS = 20
const READY_MS = 20_000

/** The database dies and comes back; later only its connections are cut. */
export const databaseDown = defineFault({
  name: 'database killed, restarted, connections cut',
  needsPostgres: true,
  async run(run) {
    const cluster = await startCluster(run.port + 1, run.cleanUp)
    const DATABASE_URL = await createDatabase(cluster.url, 'down', () => {})
    const portal = await startFaultPortal(run, run.port, {
      DATABASE_URL,
      DATA_DIR: temporaryFolder(run.cleanUp),
    })
    const token = await signInAsAdmin(portal.url)
    const marks: string[] = []
    const reads = keepAsking(50, () => ask(portal.url, { path: '/api/profiles/me', token }))
    const writes = keepAsking(100, () => writeMessage(portal.url, marks))
    const beats = keepAsking(100, () => ask(portal.url, { path: '/api/health/live' }))
    await wait(1_000)
    const crashedAt = performance.now()
    await cluster.crash()
    await wait(run.isShort ? DOWN_MS.short : DOWN_MS.whole)
    const duringEnd = performance.now()
    await cluster.start()
    const recoveredMs = await timeUntil(
      async () => (await ask(portal.url, { path: '/api/profiles/me', token })).status === 200,
      20_000,
    )
    const cutMs = await cutConnections(DATABASE_URL, portal.url, token)
    const [answers, , alive] = await Promise.all([reads.stop(), writes.stop(), beats.stop()])
    const down = answers.filter(({ sentAt }) => sentAt > crashedAt + 50 && sentAt < duringEnd - ANSWERED_MS)
    return [
      ...judgeDown(down),
      atMost('liveness meanwhile', slowest(alive), 100, 'ms'),
      exactly('liveness failures', alive.filter(({ status }) => status !== 200).length, 0),
      atMost('first good answer after the restart', recoveredMs, 5_000, 'ms'),
      atMost('first good answer after all connections were cut', cutMs, 5_000, 'ms'),
      exactly('portal processes that died', portal.hasEnded() ? 1 : 0, 0),
      exactly(`of ${marks.length} acknowledged messages lost`, await countLost(portal.url, token, marks), 0),
    ]
  },
})

function judgeDown(down: Answer[]): Verdict[] {
  const others = down.filter(({ status }) => status !== 503)
  return [
    {
      promise: 'answers while it is down are 503',
      held: down.length >= MIN_ANSWERS && others.length === 0,
      seen: `${down.length - others.length} of ${down.length}`,
    },
    atMost('slowest of them', slowest(down), ANSWERED_MS, 'ms'),
  ]
}

const slowest = (answers: Answer[]) => Math.max(...answers.map(({ ms }) => ms))

async function cutConnections(databaseUrl: string, portalUrl: string, token: string): Promise<number> {
  await runSql(databaseUrl, (client) =>
    client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database()`),
  )
  return timeUntil(
    async () => (await ask(portalUrl, { path: '/api/profiles/me', token })).status === 200,
    20_000,
  )
}

/** A PostgreSQL server that may be killed and brought back; nothing is lost between. */
interface Cluster {
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
async function startCluster(port: number, cleanUp: CleanUp, settings: string[] = []): Promise<Cluster> {
  const programs = await findPostgres()
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

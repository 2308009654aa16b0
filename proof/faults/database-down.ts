import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { checkMax, defineFault, startFaultPortal, type Verdict, verify } from '#proof/shared/fault.ts'
import { countLost, sendAtRate, waitUntil, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, runSql } from '#proof/shared/postgres.ts'
import { type Answer, send } from '#proof/shared/requests.ts'
import { type CleanUp, makeTempFolder } from '#proof/shared/run-task.ts'
import { findPostgres } from '#scripts/find-programs.mjs'
import { findServerUser } from '#scripts/throw-away-postgres.mjs'

/** Time limit of replies; requests sent just before the restart may still succeed. */
const ANSWERED_MS = 2_100
const DOWN_MS = { short: 4_000, whole: 6_000 }
/** Fewer would be no evidence. */
const MIN_ANSWERS = 20

/** The database crashes and restarts; later only its connections are cut. */
export const databaseDown = defineFault({
  name: 'database killed, restarted, connections cut',
  needsPostgres: true,
  async run(run) {
    const cluster = await startCluster(run.port + 1, run.cleanUp)
    const DATABASE_URL = await createDatabase(cluster.url, 'down', () => {})
    const portal = await startFaultPortal(run, run.port, {
      DATABASE_URL,
      DATA_DIR: makeTempFolder(run.cleanUp),
    })
    const token = await signInAsAdmin(portal.url)
    const marks: string[] = []
    const reads = sendAtRate(50, () => send(portal.url, { path: '/api/profiles/me', token }))
    const writes = sendAtRate(100, () => writeMessage(portal.url, marks))
    const beats = sendAtRate(100, () => send(portal.url, { path: '/api/health/live' }))
    await wait(1_000)
    const crashedAt = performance.now()
    cluster.crash()
    await wait(run.isShort ? DOWN_MS.short : DOWN_MS.whole)
    const duringEnd = performance.now()
    cluster.start()
    const recoveredMs = await waitUntil(
      async () => (await send(portal.url, { path: '/api/profiles/me', token })).status === 200,
      20_000,
    )
    const cutMs = await cutConnections(DATABASE_URL, portal.url, token)
    const [answers, , alive] = await Promise.all([reads.stop(), writes.stop(), beats.stop()])
    const down = answers.filter(({ sentAt }) => sentAt > crashedAt + 50 && sentAt < duringEnd - ANSWERED_MS)
    return [
      ...judgeDown(down),
      checkMax('liveness meanwhile', findSlowest(alive), 100, 'ms'),
      verify('liveness failures', alive.filter(({ status }) => status !== 200).length, 0),
      checkMax('first good answer after the restart', recoveredMs, 5_000, 'ms'),
      checkMax('first good answer after all connections were cut', cutMs, 5_000, 'ms'),
      verify('portal processes that died', portal.hasEnded() ? 1 : 0, 0),
      verify(`of ${marks.length} acknowledged messages lost`, await countLost(portal.url, token, marks), 0),
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
    checkMax('slowest of them', findSlowest(down), ANSWERED_MS, 'ms'),
  ]
}

const findSlowest = (answers: Answer[]) => Math.max(...answers.map(({ ms }) => ms))

async function cutConnections(databaseUrl: string, portalUrl: string, token: string): Promise<number> {
  await runSql(databaseUrl, (client) =>
    client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database()`),
  )
  return waitUntil(
    async () => (await send(portalUrl, { path: '/api/profiles/me', token })).status === 200,
    20_000,
  )
}

/** A PostgreSQL server that can crash and restart without data loss. */
interface Cluster {
  url: string
  start(): void
  /** Stops it without a checkpoint, as in a crash. */
  crash(): void
}

/** Creates and starts a cluster in its own folder; it ends with the run. */
async function startCluster(port: number, cleanUp: CleanUp): Promise<Cluster> {
  const programs = await findPostgres()
  if (!programs) throw new Error('There is no PostgreSQL 15 or later here.')
  const owner: { uid?: number; gid?: number } = process.getuid?.() === 0 ? findServerUser() : {}
  const folder = makeTempFolder(cleanUp)
  chmodSync(folder, 0o755)
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const run = (program: string, args: string[]) =>
    execFileSync(join(programs, program), ['-D', join(folder, 'data'), ...args], {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
    })
  run('initdb', ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`
  const start = () => void run('pg_ctl', ['start', '-w', '-l', join(folder, 'log'), '-o', options])
  const crash = () => void run('pg_ctl', ['stop', '-m', 'immediate'])
  start()
  // Before its folder is removed, to which it would keep writing.
  process.prependOnceListener('exit', crash)
  cleanUp(() => {
    process.off('exit', crash)
    crash()
  })
  return { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, start, crash }
}

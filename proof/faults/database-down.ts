import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, ask } from '#proof/bench/support/ask.ts'
import { createDatabase, runSql } from '#proof/bench/support/open-postgres.ts'
import { signInAsAdmin } from '#proof/bench/support/sign-in-as-admin.ts'
import { temporaryFolder } from '#proof/bench/support/temporary-folder.ts'
import { startCluster } from './support/cluster.ts'
import { atMost, defineFault, exactly, type Verdict } from './support/fault.ts'
import { keepAsking, timeUntil, writeMessage } from './support/load.ts'
import { countLost, startFaultPortal } from './support/portal.ts'

/** An answer may take this long; what is asked just before the restart may be a good one. */
const ANSWERED_MS = 2_100
const DOWN_MS = { short: 4_000, whole: 6_000 }
/** Fewer would show nothing. */
const LEAST_ANSWERS = 20

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
      held: down.length >= LEAST_ANSWERS && others.length === 0,
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

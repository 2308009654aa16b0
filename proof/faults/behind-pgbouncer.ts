import { defineFault, exactly, type FaultRun, startFaultPortal } from '#proof/shared/fault.ts'
import { countLost, keepAsking, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase, runSql } from '#proof/shared/postgres.ts'
import { ask } from '#proof/shared/requests.ts'
import { findPgBouncer } from '#scripts/find-programs.mjs'
import { startPgBouncer } from '#server/testing/pgbouncer.ts'

const ASKED = { short: 120, whole: 480 }
const AT_ONCE = 24

/** Everything goes through a pooler in transaction mode that has three connections to the server, migrations too. */
export const behindPgBouncer = defineFault({
  name: 'behind PgBouncer in transaction mode',
  needsPostgres: true,
  cannotRun: async () => (findPgBouncer() ? undefined : 'there is no PgBouncer here'),
  async run(run) {
    const { pooledUrl, directUrl, dataDir } = await preparePooled(run)
    const env = { DATABASE_URL: pooledUrl, DATA_DIR: dataDir }
    const portal = await startFaultPortal(run, run.port, env)
    const token = await signInAsAdmin(portal.url)
    const marks: string[] = []
    const writes = keepAsking(50, () => writeMessage(portal.url, marks))
    const failed = await readMany(portal.url, token, run.isShort ? ASKED.short : ASKED.whole)
    await writes.stop()
    const { rows } = await runSql(directUrl, (client) =>
      client.query(`select count(*)::int as count from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and datname = current_database()`),
    )
    return [
      exactly('requests that failed', failed, 0),
      exactly(`of ${marks.length} acknowledged messages lost`, await countLost(portal.url, token, marks), 0),
      exactly('locks left behind on connections of the pool', rows[0].count, 0),
    ]
  },
})

async function preparePooled(run: FaultRun) {
  const { DATABASE_URL: directUrl, DATA_DIR: dataDir } = await prepareDatabase('pooled', run.cleanUp)
  const bouncer = await startPgBouncer(directUrl)
  run.cleanUp(bouncer.stop)
  return { pooledUrl: bouncer.url, directUrl, dataDir }
}

async function readMany(url: string, token: string, count: number): Promise<number> {
  let failed = 0
  for (let asked = 0; asked < count; asked += AT_ONCE) {
    const paths = Array.from({ length: AT_ONCE }, (_, i) => (i % 2 ? '/api/profiles/me' : '/api/profiles'))
    const answers = await Promise.all(paths.map((path) => ask(url, { path, token })))
    failed += answers.filter(({ status }) => status !== 200).length
  }
  return failed
}

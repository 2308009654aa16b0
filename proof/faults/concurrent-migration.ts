import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { checkMax, defineFault, type FaultRun, startFaultPortal, verify } from '#proof/shared/fault.ts'
import { sendAtRate } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase, runSql } from '#proof/shared/postgres.ts'
import { send } from '#proof/shared/requests.ts'
import { makeTempFolder } from '#proof/shared/run-task.ts'
import { root } from '#scripts/run-command.mjs'
import { migrate } from '#server/database/migrate.ts'
import { openServer } from '#server/database/open-server.ts'

const HELD_MS = 3_000
/**
 * A plausible next migration: a new column with data, and an
 * index on the table that every request reads.
 */
const NEXT = `alter table profiles add column shoe_size integer;
update profiles set shoe_size = 40 where approved;
create index profiles_shoe_size on profiles (shoe_size);
`

/** The portal keeps working while two replicas of the next version migrate. */
export const concurrentMigration = defineFault({
  name: 'migration beside the running version',
  needsPostgres: true,
  async run(run) {
    const env = await prepareDatabase('migrate', run.cleanUp)
    const portal = await startFaultPortal(run, run.port, env)
    const databaseUrl = env.DATABASE_URL
    const token = await signInAsAdmin(portal.url)
    const folder = createNextVersion(run)
    const reads = sendAtRate(20, () => send(portal.url, { path: '/api/profiles/me', token }))
    const applied = await holdTable(databaseUrl, () =>
      Promise.all([migrateOnce(databaseUrl, folder), migrateOnce(databaseUrl, folder)]),
    )
    const answers = await reads.stop()
    return [
      verify('times that two migrators applied it together', applied.flat().length, 1),
      verify(
        `of ${answers.length} requests meanwhile failed`,
        answers.filter(({ status }) => status !== 200).length,
        0,
      ),
      checkMax('slowest of them', Math.max(...answers.map(({ ms }) => ms)), 1_000, 'ms'),
    ]
  },
})

function createNextVersion(run: FaultRun): URL {
  const folder = join(makeTempFolder(run.cleanUp), 'migrations')
  cpSync(join(root, 'migrations'), folder, { recursive: true })
  writeFileSync(join(folder, '9999-next.sql'), NEXT)
  return pathToFileURL(`${folder}/`)
}

async function migrateOnce(databaseUrl: string, folder: URL): Promise<string[]> {
  const { db, close } = await openServer({ url: databaseUrl, onConnectionError: () => {} })
  try {
    return await migrate(db, folder)
  } finally {
    await close()
  }
}

/** Holds a lock on the table first: the migration waits without blocking other queries. */
async function holdTable<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  return runSql(databaseUrl, async (client) => {
    await client.query('begin; lock table profiles in row exclusive mode')
    const done = work()
    await wait(HELD_MS)
    await client.query('rollback')
    return done
  })
}

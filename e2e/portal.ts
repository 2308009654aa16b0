import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { readConfig } from '#server/config.ts'
import type { Database } from '#server/database/database.ts'
import { openPglite } from '#server/database/open-embedded.ts'
import { createKeyring, type Keyring } from '#server/keyring.ts'
import { createLog } from '#server/log.ts'
import { servePortal } from '#server/start.ts'
import { findFreePort } from '#server/testing/portal-process.ts'

const SECRET = randomBytes(32).toString('base64url')

/** The portal as `npm start` serves it, within the process of the tests. */
export interface RunningPortal {
  url: string
  database: Database
  keyring: Keyring
  clock: () => number
}

/** What starts portals one after the other, each on a database that was just seeded. */
export interface Host {
  /** Puts the database back to its seed and starts a portal with these settings; only one runs at a time. */
  start(env: Record<string, string>): Promise<RunningPortal & { stop(): Promise<void> }>
  close(): Promise<void>
}

/** Opens a database in memory; the seed is copied when the first portal has written it. */
export async function openHost(): Promise<Host> {
  const database = await openPglite({})
  const port = String(await findFreePort())
  let restore: (() => Promise<void>) | undefined
  return {
    async start(env) {
      const settings = { PORT: port, SESSION_SECRET: SECRET, RATE_LIMITS: 'off', ALTCHA_COST: '1', ...env }
      const config = readConfig({ ...settings, SHUTDOWN_GRACE_SECONDS: '0' })
      await restore?.()
      const kept = { ...database, close: async () => {} }
      const { server, stop } = await servePortal(config, createLog('silent'), kept)
      restore ??= await rememberRows(database)
      return {
        url: config.publicUrl,
        database,
        keyring: createKeyring([SECRET]),
        clock: Date.now,
        async stop() {
          server.closeAllConnections()
          await stop()
        },
      }
    },
    close: () => database.close(),
  }
}

/** Copies every row aside. @returns what puts all of them back, and nothing else */
async function rememberRows({ db }: Database): Promise<() => Promise<void>> {
  const { rows: tables } = await sql<{ name: string; columns: string }>`
    select table_name as name, string_agg(quote_ident(column_name), ', ') as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
    group by table_name`.execute(db)
  const run = (statement: string, within = db) => sql.raw(statement).execute(within)
  await run('create schema seed')
  for (const { name } of tables) await run(`create table seed.${name} as table public.${name}`)
  const all = tables.map(({ name }) => name).join(', ')
  return () =>
    db.transaction().execute(async (transaction) => {
      // No trigger fires and no reference is checked while the rows come back.
      await run('set local session_replication_role = replica', transaction)
      await run(`truncate ${all}`, transaction)
      for (const { name, columns } of tables)
        await run(
          `insert into ${name} (${columns}) overriding system value select ${columns} from seed.${name}`,
          transaction,
        )
    })
}

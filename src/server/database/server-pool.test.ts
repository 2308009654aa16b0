import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { findPgBouncer } from '#scripts/find-programs.mjs'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { startPgBouncer } from '#server/testing/pgbouncer.ts'
import { getDatabaseUrl, openFreshDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { type Database, isDatabaseUnavailable } from './database.ts'
import { migrate, migrateDatabase } from './migrate.ts'
import { openServer, type ServerOptions } from './open-server.ts'
import { isPostgresUrl, splitHosts } from './server-urls.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function open(options: Omit<ServerOptions, 'onConnectionError'>): Promise<Database> {
  const database = await openServer({ ...options, onConnectionError: () => {} })
  ends.push(database.close)
  return database
}

/** Creates an empty, migrated database with a URL. */
async function openOwn() {
  const database = await openFreshDatabase('server')
  ends.push(database.close)
  return { database, url: await getDatabaseUrl(database) }
}

const runSql = async (url: string, ...statements: string[]) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

test('splitHosts returns one URL per host', () => {
  const list =
    'postgres://patio:p%40ss@one:5432,[::1],three/patio?target_session_attrs=read-write&sslmode=require'
  expect(splitHosts(list)).toEqual(
    ['one:5432', '[::1]', 'three'].map((host) => `postgres://patio:p%40ss@${host}/patio?sslmode=require`),
  )
  expect(isPostgresUrl(list)).toBe(true)
  for (const wrong of [
    'postgres://a,b/patio?target_session_attrs=standby',
    'mysql://a,b/x',
    'postgres://a:x,b/x',
  ])
    expect(isPostgresUrl(wrong), wrong).toBe(false)
})

describe.skipIf(!process.env.TEST_DATABASE_URL)('a pool of server connections', () => {
  const write = ({ db }: Database) =>
    db.insertInto('portal_facts').values({ name: crypto.randomUUID(), value: 'x' }).execute()

  test('drops connections that become read-only, and is unavailable until one is writable', async () => {
    const { database, url } = await openOwn()
    const portal = await startTestPortal({ kind: 'server', database })
    ends.unshift(portal.stop)
    const ready = async () => (await send(portal, 'GET', '/api/health/ready')).status
    const setReadOnly = (isReadOnly: boolean) =>
      runSql(
        url,
        'set session characteristics as transaction read write',
        `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${isReadOnly}`,
      )
    // A primary that is demoted silently keeps its connections.
    const demote = () => sql`set session characteristics as transaction read only`.execute(database.db)
    expect(await ready()).toBe(200)
    await demote()
    const failure = await write(database).catch((error) => error)
    expect(isDatabaseUnavailable(failure)).toBe(true)
    await write(database)
    await demote()
    await setReadOnly(true)
    for (let tries = 0; tries < 2; tries++) expect(await ready()).toBe(503)
    await expect(open({ url })).rejects.toThrow(/o servidor só aceita leitura/)
    await setReadOnly(false)
    expect(await ready()).toBe(200)
  })

  test('uses the next of several hosts if one does not answer', async () => {
    const { url } = await openOwn()
    const { host } = new URL(url)
    const database = await open({ url: url.replace(host, `127.0.0.1:1,${host}`) })
    await write(database)
  })

  test('requires that the direct URL leads to the same database', async () => {
    const [one, other] = [await openOwn(), await openOwn()]
    await write(await open({ url: one.url, directUrl: one.url }))
    await expect(open({ url: one.url, directUrl: other.url })).rejects.toThrow(/bancos de dados diferentes/)
  })
})

describe.skipIf(!process.env.TEST_DATABASE_URL || !findPgBouncer())(
  'behind PgBouncer in transaction mode',
  () => {
    async function openPooled() {
      const own = await openOwn()
      const bouncer = await startPgBouncer(own.url)
      ends.push(bouncer.stop)
      return { ...own, pooledUrl: bouncer.url }
    }

    test('migrates, serves concurrently, enforces time-outs, and leaves no session state', async () => {
      const { url, pooledUrl } = await openPooled()
      const pooled = await open({ url: pooledUrl })
      expect(pooled.isPooled).toBe(true)
      await runSql(url, 'drop schema public cascade', 'create schema public')
      expect((await migrateDatabase(pooled)).length).toBeGreaterThan(10)
      expect(await migrate(pooled.db)).toEqual([])

      const portal = await startTestPortal({ kind: 'server', database: pooled, rateLimits: false })
      ends.unshift(portal.stop)
      const token = (await openTestSession(portal, await addPerson(portal, { role: 'admin' }))).access_token
      const asked = Array.from({ length: 120 }, (_, index) =>
        send(portal, 'GET', index % 2 ? '/api/profiles/me' : '/api/profiles', { token }),
      )
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      // Some time out waiting for a connection on a busy machine; a duplicate name would be a 500.
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
      expect(statuses).toContain(200)

      const timeout = sql<{ timeout: string }>`select current_setting('statement_timeout') as timeout`
      const alone = await timeout.execute(pooled.db)
      const within = await pooled.db.transaction().execute((db) => timeout.execute(db))
      for (const { rows } of [alone, within]) expect(rows).toEqual([{ timeout: '3400ms' }])
      await expect(sql`select 1 / 0`.execute(pooled.db)).rejects.toThrow(/division/)
      const strangers = Array.from({ length: 6 }, async () => {
        const client = new pg.Client({ connectionString: pooledUrl })
        await client.connect()
        const seen = await client.query(`select current_setting('statement_timeout') as timeout,
        (select count(*) from pg_locks join pg_database d on d.oid = database
            where locktype = 'advisory' and datname = current_database()) as locks`)
        await client.end()
        return seen.rows[0]
      })
      for (const seen of await Promise.all(strangers)) expect(seen).toEqual({ timeout: '0', locks: 0 })
    })

    test('receives notifications only through the direct URL', async () => {
      const { url, pooledUrl } = await openPooled()
      const [both, alone] = [await open({ url: pooledUrl, directUrl: url }), await open({ url: pooledUrl })]
      const [heard, unheard] = [vi.fn(), vi.fn()]
      ends.push(both.listen('a_channel', heard), alone.listen('a_channel', unheard))
      await waitFor(() => expect(heard).toHaveBeenCalledOnce())
      await sql`select pg_notify('a_channel', '')`.execute(alone.db)
      await waitFor(() => expect(heard).toHaveBeenCalledTimes(2))
      expect(unheard).not.toHaveBeenCalled()
      await expect(open({ url: pooledUrl, directUrl: pooledUrl })).rejects.toThrow(
        /também passa por um pooler/,
      )
    })
  },
)

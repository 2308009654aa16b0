import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import type { Database } from '#server/database/database.ts'
import { migrate } from '#server/database/migrate.ts'
import { openPglite } from '#server/database/open-embedded.ts'
import { createOnServer } from './global-setup.ts'
import { snapshotRows } from './snapshot-rows.ts'
import { waitFor } from './wait-for.ts'

export type DatabaseKind = Database['kind']

const serverUrl = process.env.TEST_DATABASE_URL

/** Runs a suite on the embedded database and, if TEST_DATABASE_URL is set, on PostgreSQL. */
export function describeOnEachDatabase(name: string, suite: (kind: DatabaseKind) => void): void {
  describe(`${name} (embedded)`, () => suite('embedded'))
  // The runner reports the skip; CI fails without a server.
  describe.skipIf(!serverUrl)(`${name} (PostgreSQL)`, () => suite('server'))
}

/**
 * Opens an empty, migrated database before a block's tests and closes it after them.
 * @returns the database, unset until the block runs
 */
export function setUpDatabase(kind: DatabaseKind, open = openTestDatabase): Database {
  const database = {} as Database
  beforeAll(async () => {
    Object.assign(database, await open(kind))
  })
  afterAll(() => database.close())
  return database
}

/** A database of an earlier test file of this process, and the function that resets it. */
interface Reusable {
  database: Database
  restore: () => Promise<void>
}
const reusable: Record<DatabaseKind, Reusable[]> = { embedded: [], server: [] }

/** Opens an empty, migrated database for exclusive use; closed ones are reset and reused. */
export async function openTestDatabase(kind: DatabaseKind): Promise<Database> {
  const reused = reusable[kind].pop()
  if (reused && kind === 'server') await waitUntilIdle(reused.database)
  await reused?.restore()
  const database = reused?.database ?? (await openFreshDatabase(kind))
  const restore = reused?.restore ?? (await snapshotRows(database))
  return {
    ...database,
    async close() {
      reusable[kind].push({ database, restore })
    },
  }
}

/** Work that an earlier file's last request left may hold locks: truncating beside it deadlocks. */
async function waitUntilIdle({ db }: Database): Promise<void> {
  await waitFor(async () => {
    const { rows } = await sql<{ query: string }>`select query from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
        and backend_type = 'client backend'`.execute(db)
    if (rows[0]) throw new Error(`still running: ${rows[0].query}`)
  })
}

/** Opens a database that is not reused, for tests that change tables or close it. */
export function openFreshDatabase(kind: DatabaseKind): Promise<Database> {
  return kind === 'embedded' ? openEmbeddedCopy() : openFreshServerDatabase()
}

/** Opens a database without tables that is not reused. */
export async function openEmptyDatabase(kind: DatabaseKind): Promise<Database> {
  if (kind === 'embedded') return openPglite({})
  const database = await openFreshDatabase(kind)
  await sql`drop schema public cascade`.execute(database.db)
  await sql`create schema public`.execute(database.db)
  return database
}

async function openEmbeddedCopy(): Promise<Database> {
  const template = await readFile(inject('embeddedTemplate'))
  return openPglite({ loadDataDir: new Blob([template]) })
}

let made = 0

async function openFreshServerDatabase(): Promise<Database> {
  const name = `${inject('serverDatabases')}_${process.pid}_${made++}`
  const database = await createOnServer(new URL(serverUrl as string), name)
  await migrate(database.db)
  return database
}

/** Returns the connection URL of a database on the server. */
export async function getDatabaseUrl({ db }: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const url = new URL(serverUrl as string)
  url.pathname = `/${rows[0]?.name}`
  return url.href
}

import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import type { Database } from '#server/database/database.ts'
import { migrate } from '#server/database/migrate.ts'
import { openPglite } from '#server/database/open-embedded.ts'
import { openServer } from '#server/database/open-server.ts'

export type DatabaseKind = Database['kind']

const serverUrl = process.env.TEST_DATABASE_URL

/** Runs a suite on the embedded database and, where there is one, on a real PostgreSQL. */
export function describeOnEachDatabase(name: string, suite: (kind: DatabaseKind) => void): void {
  describe(`${name} (embedded)`, () => suite('embedded'))
  // Said aloud by the runner; CI refuses to go on without a server.
  describe.skipIf(!serverUrl)(`${name} (PostgreSQL)`, () => suite('server'))
}

/**
 * Opens an empty, migrated database before a block's tests and closes it after them.
 * @returns the database, for hooks and tests: it is empty until the block runs
 */
export function setUpDatabase(kind: DatabaseKind): Database {
  const database = {} as Database
  beforeAll(async () => {
    Object.assign(database, await openTestDatabase(kind))
  })
  afterAll(() => database.close())
  return database
}

/** An empty, migrated database of its own. */
export async function openTestDatabase(kind: DatabaseKind): Promise<Database> {
  return kind === 'embedded' ? openEmbeddedCopy() : openFreshServerDatabase()
}

async function openEmbeddedCopy(): Promise<Database> {
  const template = await readFile(inject('embeddedTemplate'))
  return openPglite({ loadDataDir: new Blob([template]) })
}

let made = 0

async function openFreshServerDatabase(): Promise<Database> {
  const url = new URL(serverUrl as string)
  const name = `patio_test_${process.pid}_${made++}`
  await runOnce(url, `create database ${name}`)
  const ownUrl = new URL(url)
  ownUrl.pathname = `/${name}`
  const database = await openServer(ownUrl.href, () => {})
  await migrate(database.db)
  return {
    ...database,
    async close() {
      await database.close()
      await runOnce(url, `drop database ${name} with (force)`)
    },
  }
}

async function runOnce(url: URL, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(statement)
  await client.end()
}

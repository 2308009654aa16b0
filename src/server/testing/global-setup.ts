import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PGliteDialect } from 'kysely'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import type { Database } from '#server/database/database.ts'
import { assertProfileColumns, migrate } from '#server/database/migrate.ts'
import { createPglite, DurableNodeFS } from '#server/database/open-embedded.ts'
import { openServer } from '#server/database/open-server.ts'
import type { Tables } from '#server/database/schema.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** File with a migrated embedded database, which loads faster than creating one. */
    embeddedTemplate: string
    /** Data directory of a migrated portal that never started, to copy. */
    dataDirTemplate: string
    /** Name prefix of databases on a server, which are dropped after the suite. */
    serverDatabases: string
  }
}

/** Migrates one embedded database before the suite; tests use copies of it. */
export default async function setup(project: TestProject) {
  // As in the portal's process.
  process.umask(0o077)
  const folder = await mkdtemp(join(tmpdir(), 'patio-tests-'))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const pglite = await createPglite({ fs: new DurableNodeFS(join(dataDir, 'postgres')) })
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  await migrate(db)
  // Fails once here instead of in every test that adds a person.
  await assertProfileColumns(db)
  const template = join(folder, 'embedded.tar')
  const dump = await pglite.dumpDataDir('none')
  await writeFile(template, Buffer.from(await dump.arrayBuffer()))
  await pglite.close()
  const serverDatabases = `patio_test_${process.pid}`
  project.provide('embeddedTemplate', template)
  project.provide('dataDirTemplate', dataDir)
  project.provide('serverDatabases', serverDatabases)
  return async () => {
    await rm(folder, { recursive: true })
    const url = process.env.TEST_DATABASE_URL
    if (url) await dropDatabases(new URL(url), serverDatabases)
  }
}

async function dropDatabases(url: URL, prefix: string): Promise<void> {
  const like = `${prefix.replaceAll('_', '\\_')}\\_%`
  const names = await runOnServer(url, 'select datname from pg_database where datname like $1', [like])
  for (const { datname } of names) await runOnServer(url, `drop database ${datname} with (force)`)
}

/** Opens a new, empty database on a server. */
export async function createOnServer(server: URL, name: string): Promise<Database> {
  await runOnServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return openServer({ url: url.href, onConnectionError: () => {} })
}

/** Runs one statement on a new connection. */
export async function runOnServer(url: URL, statement: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(statement, values)
  await client.end()
  return rows
}
